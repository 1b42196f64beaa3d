! |M|^2 of g g -> 4 gluons at a phase-space point and at the same point turned around the beam, from Fortran.
! Prints one number per line, as matrix_elements.c does.
!
! Structs of the library begin with their size and may be longer than it knows, so that a buffer of 1024 bytes serves as
! bg_options: no layout is needed, and options are set by the names that they have on the command line.
module blockgen
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: bg_error
    integer(c_int) :: status
    character(kind=c_char) :: message(512)
  end type bg_error

  interface
    subroutine bg_options_init_sized(options, size) bind(c)
      import :: c_int64_t, c_size_t
      integer(c_int64_t), intent(inout) :: options(*)
      integer(c_size_t), value :: size
    end subroutine
    integer(c_int) function bg_options_set(options, name, text, error) bind(c)
      import :: c_int, c_int64_t, c_char, bg_error
      integer(c_int64_t), intent(inout) :: options(*)
      character(kind=c_char), intent(in) :: name(*), text(*)
      type(bg_error), intent(out) :: error
    end function
    integer(c_int) function bg_process_create_gluons(process, n_out, error) bind(c)
      import :: c_int, c_ptr, bg_error
      type(c_ptr), intent(out) :: process
      integer(c_int), value :: n_out
      type(bg_error), intent(out) :: error
    end function
    integer(c_int) function bg_evaluator_create(evaluator, process, options, error) bind(c)
      import :: c_int, c_int64_t, c_ptr, bg_error
      type(c_ptr), intent(out) :: evaluator
      type(c_ptr), value :: process
      integer(c_int64_t), intent(in) :: options(*)
      type(bg_error), intent(out) :: error
    end function
    integer(c_int) function bg_evaluator_evaluate(evaluator, first_event, count, momenta, me2, deviation, error) bind(c)
      import :: c_int, c_int64_t, c_size_t, c_double, c_ptr, bg_error
      type(c_ptr), value :: evaluator
      integer(c_int64_t), value :: first_event
      integer(c_size_t), value :: count
      real(c_double), intent(in) :: momenta(4, 6, *)
      real(c_double), intent(out) :: me2(*)
      type(c_ptr), value :: deviation
      type(bg_error), intent(out) :: error
    end function
    subroutine bg_evaluator_destroy(evaluator) bind(c)
      import :: c_ptr
      type(c_ptr), value :: evaluator
    end subroutine
    subroutine bg_process_destroy(process) bind(c)
      import :: c_ptr
      type(c_ptr), value :: process
    end subroutine
  end interface

contains

  subroutine check(status, error)
    integer(c_int), intent(in) :: status
    type(bg_error), intent(in) :: error
    integer :: k
    if (status == 0) return
    do k = 1, 512
      if (error%message(k) == c_null_char) exit
      write (0, '(a)', advance='no') error%message(k)
    end do
    write (0, *)
    stop 1
  end subroutine check
end module blockgen

program matrix_elements
  use blockgen
  implicit none
  integer(c_int64_t) :: options(128)
  type(c_ptr) :: process, evaluator
  type(bg_error) :: error
  real(c_double) :: momenta(4, 6, 2), me2(2)

  momenta(:, :, 1) = reshape([ &
    500.d0, 0.d0, 0.d0, 500.d0, 500.d0, 0.d0, 0.d0, -500.d0, &
    290.31075577423763d0, -213.36929162671257d0, 88.965338665326172d0, 175.61050317417747d0, &
    362.25784622409594d0, 153.75280273294220d0, -190.28771533698082d0, -267.17299301111615d0, &
    186.58961514320910d0, -82.776424293003245d0, 62.116350397414720d0, 155.25883895566528d0, &
    160.84178285845732d0, 142.39291318677365d0, 39.206026274239925d0, -63.696349118726602d0], [4, 6])
  momenta(:, :, 2) = momenta([1, 3, 2, 4], :, 1)
  momenta(2, :, 2) = -momenta(2, :, 2)

  call bg_options_init_sized(options, 1024_c_size_t)
  call check(bg_options_set(options, 'color' // c_null_char, 'summed' // c_null_char, error), error)
  call check(bg_process_create_gluons(process, 4_c_int, error), error)
  call check(bg_evaluator_create(evaluator, process, options, error), error)
  call check(bg_evaluator_evaluate(evaluator, 0_c_int64_t, 2_c_size_t, momenta, me2, c_null_ptr, error), error)
  print '(es24.16e3)', me2
  call bg_evaluator_destroy(evaluator)
  call bg_process_destroy(process)
end program matrix_elements
