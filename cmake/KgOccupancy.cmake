# The CUDA Toolkit's occupancy calculator, one header that needs neither a GPU nor a driver. It is used where it is found,
# whether GPU programs are built or not, and is never copied.
find_path(KG_CUDA_OCCUPANCY_DIR cuda_occupancy.h
          HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
          PATH_SUFFIXES include targets/x86_64-linux/include
          DOC "Folder of the CUDA Toolkit's cuda_occupancy.h")

# kg_use_occupancy(TARGET SOURCE): compiles SOURCE of TARGET with the calculator where there is one. No other source of
# the target sees the toolkit's folder, whose cuda_runtime.h is not the CPU model's.
function(kg_use_occupancy target source)
  if(NOT KG_CUDA_OCCUPANCY_DIR)
    return()
  endif()
  set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES
    COMPILE_DEFINITIONS KG__CUDA_OCCUPANCY
    COMPILE_OPTIONS "-isystem;${KG_CUDA_OCCUPANCY_DIR}")
endfunction()
