! BlockGen from Fortran 2008: a module over blockgen/blockgen.h. Compile this file with your program; it needs nothing but
! the library.
!
!   use blockgen
!   type(blockgen_process) :: process
!   type(blockgen_options) :: options
!   type(blockgen_evaluator) :: evaluator
!   real(c_double) :: momenta(4, 6, 1000), me2(1000)       ! E, px, py, pz of the two incoming partons first
!
!   call options%set('color', 'summed')                    ! as on the command line, --color summed
!   call process%create('g g > 4g')
!   call evaluator%create(process, options)
!   call evaluator%evaluate(momenta, me2)
!   call evaluator%destroy()
!   call process%destroy()
!
! Every call takes an optional `error` at its end, whose status is 0 where all went well and whose message says what is
! wrong otherwise. Without it a failure prints the message and stops the program with status 1. Objects are not to be
! copied; destroy() releases them and may be called twice. One object is for one thread at a time.
!
! Events belong to the experimental part of the library: use them with the library that this file came with.
module blockgen
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: c_double, c_int, c_int64_t, c_size_t, c_ptr, c_null_ptr
  public :: blockgen_error, blockgen_process, blockgen_options, blockgen_evaluator
  public :: blockgen_result, blockgen_class_result, blockgen_event, blockgen_generated
  public :: blockgen_integrate, blockgen_generate, blockgen_version, blockgen_progress, blockgen_receive

  integer(c_int), parameter, public :: blockgen_ok = 0, blockgen_bad_argument = 1, blockgen_unsupported = 2, &
    blockgen_bad_point = 3, blockgen_no_memory = 4, blockgen_device_failed = 5, blockgen_io_failed = 6, &
    blockgen_communicator_failed = 7, blockgen_interrupted = 8

  integer, parameter :: message_length = 512, event_legs = 16
  ! A buffer that serves as bg_options: structs begin with their size and may be longer than the library knows.
  integer, parameter :: options_words = 128

  type :: blockgen_error
    integer :: status = 0
    character(:), allocatable :: message
  end type blockgen_error

  ! ---- structs of the library, field by field --------------------------------------------------------------------------

  type, bind(c) :: bg_error
    integer(c_int) :: status
    character(kind=c_char) :: message(message_length)
  end type bg_error

  ! A cross section; sizes and meanings are those of bg_result.
  type, bind(c) :: blockgen_result
    integer(c_size_t) :: size = 0
    real(c_double) :: sigma_pb = 0, error_pb = 0, chi2_per_dof = 0
    integer(c_int64_t) :: points = 0, accepted = 0, warmup_points = 0, pairs = 0, nonfinite = 0, unstable = 0, rescued = 0
    real(c_double) :: max_weight_pb = 0, unweighting = 0
    integer(c_int) :: iterations = 0, warming_up = 0, interrupted = 0, ranks = 0
    real(c_double) :: seconds = 0, seconds_matrix_element = 0, seconds_phase_space = 0, seconds_copies = 0, seconds_waiting = 0
    character(kind=c_char) :: hardware(128) = c_null_char, note(256) = c_null_char
    real(c_double) :: error_scale = 0
    integer(c_int64_t) :: evaluated = 0
    integer(c_int) :: estimated = 0
  end type blockgen_result

  type, bind(c) :: blockgen_class_result
    real(c_double) :: sigma_pb = 0, error_pb = 0, chi2_per_dof = 0
    integer(c_int64_t) :: points = 0, accepted = 0, warmup_points = 0
    real(c_double) :: seconds = 0
  end type blockgen_class_result

  ! bg_integration.
  type, bind(c) :: blockgen_integration
    integer(c_size_t) :: size
    real(c_double) :: sqrts, cuts(5)
    integer(c_int) :: phase_space, hybrid
    real(c_double) :: precision
    integer(c_int64_t) :: points
    real(c_double) :: seconds
    type(c_ptr) :: checkpoint
    real(c_double) :: checkpoint_interval
    type(c_ptr) :: resume, histograms, generator, communicator
    type(c_funptr) :: progress, receive
    type(c_ptr) :: user, resolved
    type(c_funptr) :: interrupted
    integer(c_int) :: force
    real(c_double) :: jet_cuts(10)
    type(c_ptr) :: pdf, scale
    real(c_double) :: mur, muf
    type(c_ptr) :: class_results
    integer(c_int) :: class_room
    type(c_ptr) :: variations, variation_results
    integer(c_int) :: estimate
  end type blockgen_integration

  type, bind(c) :: blockgen_event
    integer(c_int64_t) :: number
    integer(c_int) :: process, legs
    real(c_double) :: weight, trials, scale, muf, mur, alpha_s, x(2), xf(2)
    integer(c_int) :: pdg(event_legs), color(2, event_legs), helicity(event_legs)
    real(c_double) :: momentum(4, event_legs)
    type(c_ptr) :: variation
  end type blockgen_event

  type, bind(c) :: bg_generation
    integer(c_size_t) :: size
    integer(c_int64_t) :: events
    real(c_double) :: overweight
    integer(c_int) :: weighted, softest_scale
    integer(c_int64_t) :: skip
    type(c_ptr) :: used, state
    integer(c_int) :: go_on
    type(c_funptr) :: begin, receive
    type(c_ptr) :: user
    integer(c_int) :: shared
  end type bg_generation

  ! What is known of a run that made events; bg_generation_result.
  type, bind(c) :: blockgen_generated
    integer(c_size_t) :: size = 0
    real(c_double) :: sigma_pb = 0, error_pb = 0
    integer(c_int) :: pdf_id = 0
    integer(c_int64_t) :: events = 0, trials = 0
    real(c_double) :: efficiency = 0, overweight_share = 0, largest_weight = 0, cut_share = 0, seconds = 0, seconds_events = 0
    integer(c_int) :: variations = 0, scale_variations = 0
    type(c_ptr) :: variation_names = c_null_ptr, pdf_error_type = c_null_ptr
    integer(c_int) :: estimated = 0
    real(c_double) :: evaluated = 0
  end type blockgen_generated

  ! ---- objects -------------------------------------------------------------------------------------------------------------

  ! An option of an integration: the library keeps addresses of texts, so they are handed over when it is started.
  type :: setting
    character(:), allocatable :: name, text
  end type setting

  type :: blockgen_options
    private
    logical :: ready = .false.
    integer(c_int64_t) :: algorithm(options_words) = 0
    type(setting), allocatable :: settings(:)
  contains
    procedure, private :: options_set_text, options_set_integer, options_set_real, options_set_logical
    generic :: set => options_set_text, options_set_integer, options_set_real, options_set_logical
    procedure :: get => options_get
    procedure :: automatic => options_automatic
    procedure, private :: prepare => options_prepare
  end type blockgen_options

  type :: blockgen_process
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => process_create
    procedure :: n_out => process_n_out
    procedure :: classes => process_classes
    procedure :: destroy => process_destroy
    procedure :: get => process_get
  end type blockgen_process

  type :: blockgen_evaluator
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: legs = 0
  contains
    procedure :: create => evaluator_create
    procedure :: evaluate => evaluator_evaluate
    procedure :: backend => evaluator_backend
    procedure :: hardware => evaluator_hardware
    procedure :: destroy => evaluator_destroy
    procedure :: get => evaluator_get
  end type blockgen_evaluator

  abstract interface
    ! Called about four times a second; .false. stops.
    logical function blockgen_progress(result)
      import :: blockgen_result
      type(blockgen_result), intent(in) :: result
    end function
    ! Called with every batch of events, in their order; .false. stops.
    logical function blockgen_receive(events)
      import :: blockgen_event
      type(blockgen_event), intent(in) :: events(:)
    end function
  end interface

  ! What travels through C as `user`.
  type :: callbacks
    procedure(blockgen_progress), pointer, nopass :: progress => null()
    procedure(blockgen_receive), pointer, nopass :: receive => null()
    logical :: stopped = .false.
  end type callbacks

  interface
    subroutine bg_options_init_sized(options, size) bind(c)
      import :: c_int64_t, c_size_t
      integer(c_int64_t), intent(inout) :: options(*)
      integer(c_size_t), value :: size
    end subroutine
    subroutine bg_options_set_automatic(options) bind(c)
      import :: c_int64_t
      integer(c_int64_t), intent(inout) :: options(*)
    end subroutine
    integer(c_int) function bg_options_set(options, name, text, error) bind(c)
      import :: c_int, c_int64_t, c_char, bg_error
      integer(c_int64_t), intent(inout) :: options(*)
      character(kind=c_char), intent(in) :: name(*), text(*)
      type(bg_error), intent(inout) :: error
    end function
    integer(c_int) function bg_options_get(options, name, text, room, error) bind(c)
      import :: c_int, c_int64_t, c_size_t, c_char, bg_error
      integer(c_int64_t), intent(in) :: options(*)
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: room
      type(bg_error), intent(inout) :: error
    end function
    subroutine bg_integration_init_sized(integration, size) bind(c)
      import :: c_size_t, blockgen_integration
      type(blockgen_integration), intent(out) :: integration
      integer(c_size_t), value :: size
    end subroutine
    integer(c_int) function bg_integration_set(integration, name, text, error) bind(c)
      import :: c_int, c_char, c_ptr, blockgen_integration, bg_error
      type(blockgen_integration), intent(inout) :: integration
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: text
      type(bg_error), intent(inout) :: error
    end function
    integer(c_int) function bg_integration_get(integration, name, text, room, error) bind(c)
      import :: c_int, c_size_t, c_char, blockgen_integration, bg_error
      type(blockgen_integration), intent(in) :: integration
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: room
      type(bg_error), intent(inout) :: error
    end function
    integer(c_int) function bg_process_parse(process, text, flavors, lines, error) bind(c)
      import :: c_int, c_char, c_ptr, bg_error
      type(c_ptr), intent(out) :: process
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int), value :: flavors, lines
      type(bg_error), intent(inout) :: error
    end function
    integer(c_int) function bg_process_n_out(process) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: process
    end function
    integer(c_int) function bg_process_classes(process) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: process
    end function
    subroutine bg_process_destroy(process) bind(c)
      import :: c_ptr
      type(c_ptr), value :: process
    end subroutine
    integer(c_int) function bg_evaluator_create(evaluator, process, options, error) bind(c)
      import :: c_int, c_int64_t, c_ptr, bg_error
      type(c_ptr), intent(out) :: evaluator
      type(c_ptr), value :: process
      integer(c_int64_t), intent(in) :: options(*)
      type(bg_error), intent(inout) :: error
    end function
    integer(c_int) function bg_evaluator_evaluate(evaluator, first_event, count, momenta, me2, uncertainty, error) bind(c)
      import :: c_int, c_int64_t, c_size_t, c_double, c_ptr, bg_error
      type(c_ptr), value :: evaluator
      integer(c_int64_t), value :: first_event
      integer(c_size_t), value :: count
      real(c_double), intent(in) :: momenta(*)
      real(c_double), intent(out) :: me2(*)
      type(c_ptr), value :: uncertainty
      type(bg_error), intent(inout) :: error
    end function
    type(c_ptr) function bg_evaluator_backend(evaluator) bind(c)
      import :: c_ptr
      type(c_ptr), value :: evaluator
    end function
    type(c_ptr) function bg_evaluator_hardware(evaluator) bind(c)
      import :: c_ptr
      type(c_ptr), value :: evaluator
    end function
    subroutine bg_evaluator_destroy(evaluator) bind(c)
      import :: c_ptr
      type(c_ptr), value :: evaluator
    end subroutine
    integer(c_int) function bg_integrate(process, options, integration, result, error) bind(c)
      import :: c_int, c_int64_t, c_ptr, blockgen_integration, blockgen_result, bg_error
      type(c_ptr), value :: process
      integer(c_int64_t), intent(in) :: options(*)
      type(blockgen_integration), intent(in) :: integration
      type(blockgen_result), intent(inout) :: result
      type(bg_error), intent(inout) :: error
    end function
    subroutine bg_generation_init(generation) bind(c)
      import :: bg_generation
      type(bg_generation), intent(out) :: generation
    end subroutine
    integer(c_int) function bg_events_generate(process, options, integration, generation, made, error) bind(c)
      import :: c_int, c_int64_t, c_ptr, blockgen_integration, bg_generation, blockgen_generated, bg_error
      type(c_ptr), value :: process
      integer(c_int64_t), intent(in) :: options(*)
      type(blockgen_integration), intent(in) :: integration
      type(bg_generation), intent(in) :: generation
      type(blockgen_generated), intent(inout) :: made
      type(bg_error), intent(inout) :: error
    end function
    type(c_ptr) function bg_version() bind(c)
      import :: c_ptr
    end function
    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! ---- strings and errors -----------------------------------------------------------------------------------------------

  function from_pointer(text) result(string)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: string
    character(kind=c_char), pointer :: characters(:)
    if (.not. c_associated(text)) then
      string = ''
      return
    end if
    call c_f_pointer(text, characters, [c_strlen(text)])
    string = from_array(characters)
  end function from_pointer

  ! Up to the NUL or the end.
  function from_array(characters) result(string)
    character(kind=c_char), intent(in) :: characters(:)
    character(:), allocatable :: string
    integer :: k, length
    length = size(characters)
    do k = 1, size(characters)
      if (characters(k) == c_null_char) then
        length = k - 1
        exit
      end if
    end do
    allocate (character(length) :: string)
    do k = 1, length
      string(k:k) = characters(k)
    end do
  end function from_array

  ! Ends every call: fills `error`, or stops the program where nobody asked for it.
  subroutine finish(status, why, error)
    integer(c_int), intent(in) :: status
    type(bg_error), intent(in) :: why
    type(blockgen_error), intent(out), optional :: error
    if (present(error)) then
      error%status = status
      error%message = ''
      if (status /= blockgen_ok) error%message = from_array(why%message)
    else if (status /= blockgen_ok) then
      write (error_unit, '(a)') from_array(why%message)
      stop 1
    end if
  end subroutine finish

  function blockgen_version() result(version)
    character(:), allocatable :: version
    version = from_pointer(bg_version())
  end function blockgen_version

  ! ---- options ----------------------------------------------------------------------------------------------------------

  subroutine options_prepare(self)
    class(blockgen_options), intent(inout) :: self
    if (self%ready) return
    call bg_options_init_sized(self%algorithm, int(8 * options_words, c_size_t))
    allocate (self%settings(0))
    self%ready = .true.
  end subroutine options_prepare

  ! Color, recursion and helicity are left to the library, as `blockgen integrate` does.
  subroutine options_automatic(self)
    class(blockgen_options), intent(inout) :: self
    call self%prepare()
    call bg_options_set_automatic(self%algorithm)
  end subroutine options_automatic

  subroutine options_set_text(self, name, value, error)
    class(blockgen_options), intent(inout) :: self
    character(*), intent(in) :: name, value
    type(blockgen_error), intent(out), optional :: error
    type(blockgen_integration) :: integration
    type(bg_error) :: why
    character(:), allocatable, target :: text
    integer(c_int) :: status
    call self%prepare()
    text = trim(value) // c_null_char
    call bg_integration_init_sized(integration, c_sizeof(integration))
    if (is_of_integration(trim(name))) then
      status = bg_integration_set(integration, trim(name) // c_null_char, c_loc(text), why)
      if (status == blockgen_ok) self%settings = [self%settings, setting(trim(name), trim(value))]
    else
      status = bg_options_set(self%algorithm, trim(name) // c_null_char, text, why)
    end if
    call finish(status, why, error)
  end subroutine options_set_text

  logical function is_of_integration(name)
    character(*), intent(in) :: name
    type(blockgen_integration) :: integration
    type(bg_error) :: why
    character(kind=c_char) :: text(4096)
    call bg_integration_init_sized(integration, c_sizeof(integration))
    is_of_integration = bg_integration_get(integration, name // c_null_char, text, 4096_c_size_t, why) == blockgen_ok
  end function is_of_integration

  subroutine options_set_integer(self, name, value, error)
    class(blockgen_options), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: value
    type(blockgen_error), intent(out), optional :: error
    character(24) :: text
    write (text, '(i0)') value
    call self%set(name, trim(text), error)
  end subroutine options_set_integer

  subroutine options_set_real(self, name, value, error)
    class(blockgen_options), intent(inout) :: self
    character(*), intent(in) :: name
    real(c_double), intent(in) :: value
    type(blockgen_error), intent(out), optional :: error
    character(32) :: text
    write (text, '(es25.17e3)') value
    call self%set(name, trim(adjustl(text)), error)
  end subroutine options_set_real

  subroutine options_set_logical(self, name, value, error)
    class(blockgen_options), intent(inout) :: self
    character(*), intent(in) :: name
    logical, intent(in) :: value
    type(blockgen_error), intent(out), optional :: error
    call self%set(name, merge('yes', 'no ', value), error)
  end subroutine options_set_logical

  function options_get(self, name, error) result(value)
    class(blockgen_options), intent(inout) :: self
    character(*), intent(in) :: name
    type(blockgen_error), intent(out), optional :: error
    character(:), allocatable :: value
    type(blockgen_integration) :: integration
    type(bg_error) :: why
    character(kind=c_char) :: text(4096)
    character(kind=c_char), allocatable, target :: held(:)
    integer(c_int) :: status
    call self%prepare()
    text = c_null_char
    if (is_of_integration(trim(name))) then
      call apply(self, integration, held)
      status = bg_integration_get(integration, trim(name) // c_null_char, text, 4096_c_size_t, why)
    else
      status = bg_options_get(self%algorithm, trim(name) // c_null_char, text, 4096_c_size_t, why)
    end if
    value = from_array(text)
    call finish(status, why, error)
  end function options_get

  ! An integration with the settings; `held` keeps their texts, one behind the other, and must live as long as it does.
  ! They were checked when they were set.
  subroutine apply(options, integration, held)
    type(blockgen_options), intent(in) :: options
    type(blockgen_integration), intent(out) :: integration
    character(kind=c_char), allocatable, target, intent(out) :: held(:)
    type(bg_error) :: why
    integer(c_int) :: status
    integer :: k, c, used
    call bg_integration_init_sized(integration, c_sizeof(integration))
    used = 1
    do k = 1, size(options%settings)
      used = used + len(options%settings(k)%text) + 1
    end do
    allocate (held(used))
    held = c_null_char
    used = 0
    do k = 1, size(options%settings)
      associate (text => options%settings(k)%text)
        do c = 1, len(text)
          held(used + c) = text(c:c)
        end do
        status = bg_integration_set(integration, options%settings(k)%name // c_null_char, c_loc(held(used + 1)), why)
        if (status /= blockgen_ok) call finish(status, why)
        used = used + len(text) + 1
      end associate
    end do
  end subroutine apply

  ! ---- processes ----------------------------------------------------------------------------------------------------------

  subroutine process_create(self, text, flavors, quark_lines, error)
    class(blockgen_process), intent(inout) :: self
    character(*), intent(in) :: text ! such as 'u g > u g g' or 'p p > 3j'
    integer, intent(in), optional :: flavors, quark_lines
    type(blockgen_error), intent(out), optional :: error
    type(bg_error) :: why
    integer(c_int) :: status, n, lines
    n = 5
    lines = 3
    if (present(flavors)) n = int(flavors, c_int)
    if (present(quark_lines)) lines = int(quark_lines, c_int)
    call self%destroy()
    status = bg_process_parse(self%handle, trim(text) // c_null_char, n, lines, why)
    if (status /= blockgen_ok) self%handle = c_null_ptr
    call finish(status, why, error)
  end subroutine process_create

  integer function process_n_out(self)
    class(blockgen_process), intent(in) :: self
    process_n_out = bg_process_n_out(self%handle)
  end function process_n_out

  integer function process_classes(self)
    class(blockgen_process), intent(in) :: self
    process_classes = bg_process_classes(self%handle)
  end function process_classes

  subroutine process_destroy(self)
    class(blockgen_process), intent(inout) :: self
    call bg_process_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine process_destroy

  ! The bg_process, for calls that this module does not have.
  type(c_ptr) function process_get(self)
    class(blockgen_process), intent(in) :: self
    process_get = self%handle
  end function process_get

  ! ---- matrix elements ----------------------------------------------------------------------------------------------------

  subroutine evaluator_create(self, process, options, error)
    class(blockgen_evaluator), intent(inout) :: self
    type(blockgen_process), intent(in) :: process
    type(blockgen_options), intent(inout), optional :: options
    type(blockgen_error), intent(out), optional :: error
    type(blockgen_options) :: standard
    type(bg_error) :: why
    integer(c_int) :: status
    call self%destroy()
    if (present(options)) then
      call options%prepare()
      status = bg_evaluator_create(self%handle, process%handle, options%algorithm, why)
    else
      call standard%prepare()
      status = bg_evaluator_create(self%handle, process%handle, standard%algorithm, why)
    end if
    if (status /= blockgen_ok) self%handle = c_null_ptr
    self%legs = 2 + process%n_out()
    call finish(status, why, error)
  end subroutine evaluator_create

  ! |M|^2 of points momenta(4, 2 + n_out, events).
  subroutine evaluator_evaluate(self, momenta, me2, uncertainty, first_event, error)
    class(blockgen_evaluator), intent(inout) :: self
    real(c_double), intent(in), contiguous :: momenta(:, :, :)
    real(c_double), intent(out), contiguous :: me2(:)
    real(c_double), intent(out), contiguous, optional, target :: uncertainty(:)
    integer(c_int64_t), intent(in), optional :: first_event
    type(blockgen_error), intent(out), optional :: error
    type(bg_error) :: why
    type(c_ptr) :: deviation
    integer(c_int64_t) :: first
    integer(c_int) :: status
    logical :: fits
    fits = size(momenta, 1) == 4 .and. size(momenta, 2) == self%legs .and. size(me2) >= size(momenta, 3)
    deviation = c_null_ptr
    if (present(uncertainty)) then
      fits = fits .and. size(uncertainty) >= size(momenta, 3)
      if (size(uncertainty) > 0) deviation = c_loc(uncertainty)
    end if
    first = 0
    if (present(first_event)) first = first_event
    if (fits) then
      status = bg_evaluator_evaluate(self%handle, first, size(momenta, 3, c_size_t), momenta, me2, deviation, why)
    else
      status = blockgen_bad_argument
      call say_shapes(self%legs, shape(momenta), size(me2), why)
    end if
    call finish(status, why, error)
  end subroutine evaluator_evaluate

  subroutine say_shapes(legs, momenta, results, why)
    integer, intent(in) :: legs, momenta(3), results
    type(bg_error), intent(out) :: why
    character(message_length) :: text
    integer :: k
    write (text, '(a,i0,a,i0,a,i0,a,i0,a,i0,a)') 'momenta are (', momenta(1), ', ', momenta(2), ', ', momenta(3), &
      ') with room for ', results, ' results; they must be (4, ', legs, ', events) with room for each event'
    why%status = blockgen_bad_argument
    why%message = c_null_char
    do k = 1, len_trim(text)
      why%message(k) = text(k:k)
    end do
  end subroutine say_shapes

  function evaluator_backend(self) result(name)
    class(blockgen_evaluator), intent(in) :: self
    character(:), allocatable :: name
    name = from_pointer(bg_evaluator_backend(self%handle))
  end function evaluator_backend

  function evaluator_hardware(self) result(name)
    class(blockgen_evaluator), intent(in) :: self
    character(:), allocatable :: name
    name = from_pointer(bg_evaluator_hardware(self%handle))
  end function evaluator_hardware

  subroutine evaluator_destroy(self)
    class(blockgen_evaluator), intent(inout) :: self
    call bg_evaluator_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine evaluator_destroy

  type(c_ptr) function evaluator_get(self)
    class(blockgen_evaluator), intent(in) :: self
    evaluator_get = self%handle
  end function evaluator_get

  ! ---- cross sections and events --------------------------------------------------------------------------------------------

  integer(c_int) function on_progress(result, user) bind(c)
    type(blockgen_result), intent(in) :: result
    type(c_ptr), value :: user
    type(callbacks), pointer :: called
    call c_f_pointer(user, called)
    called%stopped = .not. called%progress(result)
    on_progress = merge(1_c_int, 0_c_int, called%stopped)
  end function on_progress

  integer(c_int) function on_events(events, count, user) bind(c)
    type(c_ptr), value :: events, user
    integer(c_size_t), value :: count
    type(callbacks), pointer :: called
    type(blockgen_event), pointer :: batch(:)
    call c_f_pointer(user, called)
    call c_f_pointer(events, batch, [count])
    called%stopped = .not. called%receive(batch)
    on_events = merge(1_c_int, 0_c_int, called%stopped)
  end function on_events

  ! Integrates; `classes` gets what each class of subprocesses adds, process%classes() of them.
  subroutine blockgen_integrate(process, options, result, progress, classes, error)
    type(blockgen_process), intent(in) :: process
    type(blockgen_options), intent(inout) :: options
    type(blockgen_result), intent(out) :: result
    procedure(blockgen_progress), optional :: progress
    type(blockgen_class_result), allocatable, target, intent(out), optional :: classes(:)
    type(blockgen_error), intent(out), optional :: error
    type(blockgen_integration) :: integration
    type(callbacks), target :: called
    type(bg_error) :: why
    character(kind=c_char), allocatable, target :: held(:)
    integer(c_int) :: status
    call options%prepare()
    call apply(options, integration, held)
    if (present(progress)) then
      called%progress => progress
      integration%progress = c_funloc(on_progress)
      integration%user = c_loc(called)
    end if
    if (present(classes)) then
      allocate (classes(process%classes()))
      integration%class_results = c_loc(classes)
      integration%class_room = size(classes, kind=c_int)
    end if
    result%size = c_sizeof(result)
    status = bg_integrate(process%handle, options%algorithm, integration, result, why)
    call finish(status, why, error)
  end subroutine blockgen_integrate

  ! Makes `count` events and hands them to `receive`. That it asked to stop is no failure.
  subroutine blockgen_generate(process, options, count, receive, made, weighted, error)
    type(blockgen_process), intent(in) :: process
    type(blockgen_options), intent(inout) :: options
    integer, intent(in) :: count
    procedure(blockgen_receive) :: receive
    type(blockgen_generated), intent(out), optional :: made
    logical, intent(in), optional :: weighted
    type(blockgen_error), intent(out), optional :: error
    type(blockgen_integration) :: integration
    type(bg_generation) :: generation
    type(blockgen_generated) :: filled
    type(callbacks), target :: called
    type(bg_error) :: why
    character(kind=c_char), allocatable, target :: held(:)
    integer(c_int) :: status
    call options%prepare()
    call apply(options, integration, held)
    call bg_generation_init(generation)
    generation%events = int(count, c_int64_t)
    if (present(weighted)) generation%weighted = merge(1_c_int, 0_c_int, weighted)
    called%receive => receive
    generation%receive = c_funloc(on_events)
    generation%user = c_loc(called)
    filled%size = c_sizeof(filled)
    status = bg_events_generate(process%handle, options%algorithm, integration, generation, filled, why)
    if (called%stopped .and. status == blockgen_interrupted) status = blockgen_ok
    if (present(made)) made = filled
    call finish(status, why, error)
  end subroutine blockgen_generate
end module blockgen
