! |M|^2 of g g -> 4 gluons at a phase-space point and at the same point turned around the beam, from Fortran.
! Prints one number per line, as matrix_elements.c does. The module is in blockgen.f90, beside the header of C.
program matrix_elements
  use blockgen
  implicit none
  type(blockgen_process) :: process
  type(blockgen_options) :: options
  type(blockgen_evaluator) :: evaluator
  real(c_double) :: momenta(4, 6, 2), me2(2)

  momenta(:, :, 1) = reshape([ &
    500.d0, 0.d0, 0.d0, 500.d0, 500.d0, 0.d0, 0.d0, -500.d0, &
    290.31075577423763d0, -213.36929162671257d0, 88.965338665326172d0, 175.61050317417747d0, &
    362.25784622409594d0, 153.75280273294220d0, -190.28771533698082d0, -267.17299301111615d0, &
    186.58961514320910d0, -82.776424293003245d0, 62.116350397414720d0, 155.25883895566528d0, &
    160.84178285845732d0, 142.39291318677365d0, 39.206026274239925d0, -63.696349118726602d0], [4, 6])
  momenta(:, :, 2) = momenta([1, 3, 2, 4], :, 1)
  momenta(2, :, 2) = -momenta(2, :, 2)

  call options%set('color', 'summed')
  call process%create('g g > 4g')
  call evaluator%create(process, options)
  call evaluator%evaluate(momenta, me2)
  print '(es24.16e3)', me2
  call evaluator%destroy()
  call process%destroy()
end program matrix_elements
