# libblockgen_umami.so: the matrix elements behind the interface that MadSpace loads (docs/umami.md). A client of the shared
# library, which it finds in its own folder.
add_library(blockgen_umami MODULE programs/umami/umami.c programs/umami/configuration.c)
target_include_directories(blockgen_umami PRIVATE programs/umami)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
target_link_libraries(blockgen_umami PRIVATE blockgen_flags blockgen_shared Threads::Threads)
target_link_options(blockgen_umami PRIVATE LINKER:--as-needed LINKER:-z,defs
                    LINKER:-z,nodelete) # as the library that it links
set_target_properties(blockgen_umami PROPERTIES LINKER_LANGUAGE C INSTALL_RPATH $ORIGIN)
if(BG_HAVE_CUDA)
  # guard.c: what nvcc's glue needs of C++, as in the library.
  target_sources(blockgen_umami PRIVATE programs/umami/device.cu src/backend/cuda/guard.c)
  set_target_properties(blockgen_umami PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_VISIBILITY_PRESET hidden)
  target_compile_definitions(blockgen_umami PRIVATE BG_HAVE_CUDA)
  target_compile_options(blockgen_umami PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-fno-exceptions,-fno-rtti>")
  target_link_libraries(blockgen_umami PRIVATE CUDA::cudart_static)
endif()
