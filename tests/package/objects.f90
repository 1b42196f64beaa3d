! What blockgen.f90 promises beyond the examples: options by name and type, errors as texts, callbacks that stop, shapes that do not
! fit. Prints what failed.
module callbacks
  use blockgen
  implicit none
  integer :: batches = 0

contains

  logical function stop_at_once(events)
    type(blockgen_event), intent(in) :: events(:)
    batches = batches + min(1, size(events))
    stop_at_once = .false.
  end function stop_at_once
end module callbacks

program objects
  use blockgen
  use callbacks
  implicit none
  integer :: failures = 0
  call options()
  call evaluators()
  call events()
  if (failures > 0) stop 1

contains

  subroutine expect(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    print '(2a)', 'not so: ', what
    failures = failures + 1
  end subroutine expect

  subroutine options()
    type(blockgen_options) :: given
    type(blockgen_error) :: error
    call given%set('color', 'sampled')
    call given%set('threads', 2)
    call given%set('rescue', .false.)
    call given%set('pt-min', 30.5d0)
    call given%set('pdf', 'SomeSet:1', error)
    call expect(error%status == blockgen_ok .and. error%message == '', 'no error')
    call expect(given%get('color') == 'sampled' .and. given%get('threads') == '2' .and. given%get('rescue') == 'no', &
                'of an algorithm')
    call expect(given%get('pt-min') == '30.5' .and. given%get('pdf') == 'SomeSet:1', 'of an integration')
    call given%set('pt-min', -1, error)
    call expect(error%status == blockgen_bad_argument .and. given%get('pt-min') == '30.5', 'a range')
    call given%set('colr', 'summed', error)
    call expect(index(error%message, 'color') > 0, 'the nearest name')
  end subroutine options

  subroutine evaluators()
    type(blockgen_process) :: process
    type(blockgen_evaluator) :: evaluator
    type(blockgen_error) :: error
    real(c_double) :: momenta(4, 4, 2), me2(2), uncertainty(2)
    call process%create('u g > g g', error=error)
    call expect(error%status == blockgen_bad_argument .and. index(error%message, 'conserved') > 0, 'flavors are conserved')
    call process%create('g g > 2g')
    call evaluator%create(process)
    momenta(:, :, 1) = reshape([500.d0, 0.d0, 0.d0, 500.d0, 500.d0, 0.d0, 0.d0, -500.d0, 500.d0, 500.d0, 0.d0, 0.d0, &
                                500.d0, -500.d0, 0.d0, 0.d0], [4, 4])
    momenta(:, :, 2) = momenta(:, :, 1)
    call evaluator%evaluate(momenta, me2, uncertainty, 7_c_int64_t, error)
    call expect(error%status == blockgen_ok .and. me2(1) > 0 .and. abs(me2(1) - me2(2)) <= 1d-12 * me2(1), 'values')
    call evaluator%evaluate(momenta(:, 1:3, :), me2, error=error)
    call expect(error%status == blockgen_bad_argument .and. index(error%message, '(4, 4, events)') > 0, 'three legs')
    call evaluator%evaluate(momenta, me2(1:1), error=error)
    call expect(error%status == blockgen_bad_argument, 'room for one')
    call expect(len(evaluator%hardware()) > 0 .and. len(blockgen_version()) >= 5, 'texts of the library')
    call evaluator%destroy()
    call evaluator%destroy()
    call process%destroy()
  end subroutine evaluators

  subroutine events()
    type(blockgen_process) :: process
    type(blockgen_options) :: given
    type(blockgen_generated) :: made
    type(blockgen_error) :: error
    call process%create('g g > 2g')
    call given%automatic()
    call given%set('backend', 'cpu')
    call given%set('points', 20000)
    call blockgen_generate(process, given, 100000, stop_at_once, made, error=error)
    call expect(error%status == blockgen_ok .and. batches == 1 .and. made%sigma_pb > 0, 'a callback that stops is no failure')
    call process%destroy()
  end subroutine events
end program objects
