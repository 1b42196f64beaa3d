! The cross section of p p -> 2 jets and a few events of it, from Fortran: options by name, callbacks, and an error that
! says what is wrong. Prints sigma and its error in pb, the sum over classes of subprocesses, and how many events came.
! Events are of the experimental part of the library.
module analysis
  use blockgen
  implicit none
  integer :: events = 0

contains

  logical function go_on(so_far)
    type(blockgen_result), intent(in) :: so_far
    go_on = so_far%points >= 0
  end function go_on

  logical function receive(batch)
    type(blockgen_event), intent(in) :: batch(:)
    events = events + count(batch%legs == 4)
    receive = .true.
  end function receive
end module analysis

program cross_section
  use blockgen
  use analysis
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  type(blockgen_process) :: process
  type(blockgen_options) :: options
  type(blockgen_result) :: result
  type(blockgen_class_result), allocatable :: classes(:)
  type(blockgen_error) :: error

  call process%create('p p > 2j')
  call options%automatic()
  call options%set('precision', 0.02d0)
  call options%set('pt-min', 50)
  call options%set('scale', 'ht/2')
  call options%set('backend', 'cpu')
  call blockgen_integrate(process, options, result, progress=go_on, classes=classes)
  print '(3(1x,g0))', result%sigma_pb, result%error_pb, sum(classes%sigma_pb)

  call blockgen_generate(process, options, 100, receive)
  print '(i0)', events

  call options%set('pt-min', 'many', error)
  if (error%status == blockgen_ok) stop 1
  write (error_unit, '(2a)') 'as it should be: ', error%message
  call process%destroy()
end program cross_section
