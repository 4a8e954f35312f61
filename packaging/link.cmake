# What the programs are linked with. Shared is what is mended on its own when a hole is found in it,
# because it takes what others sent: OpenSSL and the compressors. The rest is linked in where the
# system has a static library of it, since each shared one costs time at every start.
include(CheckCXXSourceCompiles)
option(ADOC_STATIC "Link the programs without any shared library, so that they run on any Linux" OFF)
option(ADOC_FEW_LIBRARIES "Link the programs with few shared libraries, so that they start soon" ON)

# A sanitizer's run time is a shared library of its own, and replaces what is in the others.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" OR ADOC_BUILD_FUZZERS)
  set(ADOC_FEW_LIBRARIES OFF)
endif()

# adoc_find_static(OUT MODULE...): the static libraries of these modules of pkg-config and of what
# they need, in the order of linking; nothing, and why in OUT_MISSING, when one is not there.
function(adoc_find_static out)
  set(found "")
  foreach(module IN LISTS ARGN)
    pkg_check_modules(static_${module} QUIET ${module})
    foreach(library IN LISTS static_${module}_STATIC_LIBRARIES)
      # Parts of the C library, which come by themselves.
      if(library MATCHES "^(dl|pthread|c|m|rt)$")
        continue()
      endif()
      find_library(ADOC_STATIC_${library} NAMES lib${library}.a
                   HINTS ${static_${module}_STATIC_LIBRARY_DIRS})
      mark_as_advanced(ADOC_STATIC_${library})
      if(NOT ADOC_STATIC_${library})
        set(${out} "" PARENT_SCOPE)
        set(${out}_MISSING lib${library}.a PARENT_SCOPE)
        return()
      endif()
      list(APPEND found ${ADOC_STATIC_${library}})
    endforeach()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# spdlog and fmt: in one file for the versions of fmt that it is known to work with, else as
# headers.
add_library(adoc_log INTERFACE)
target_include_directories(adoc_log SYSTEM INTERFACE
  $<TARGET_PROPERTY:spdlog::spdlog,INTERFACE_INCLUDE_DIRECTORIES>
  $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(adoc_log_library STATIC src/cli/log_library.cpp)
  target_compile_features(adoc_log_library PUBLIC cxx_std_20)
  target_compile_definitions(adoc_log_library PUBLIC SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)
  target_include_directories(adoc_log_library SYSTEM PRIVATE
    $<TARGET_PROPERTY:adoc_log,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(adoc_log INTERFACE adoc_log_library)
else()
  target_compile_definitions(adoc_log INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY=1)
endif()

# What the library `adoc` names instead of the modules, until it is installed.
foreach(module IN ITEMS re2 xxhash)
  add_library(adoc_${module} INTERFACE)
  target_include_directories(adoc_${module} INTERFACE
    $<TARGET_PROPERTY:PkgConfig::${module},INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_options(adoc_${module} INTERFACE
    $<TARGET_PROPERTY:PkgConfig::${module},INTERFACE_COMPILE_OPTIONS>)
  set(archives "")
  if(ADOC_FEW_LIBRARIES)
    string(REPLACE xxhash libxxhash name ${module})
    adoc_find_static(archives ${name})
  endif()
  if(archives)
    target_link_libraries(adoc_${module} INTERFACE ${archives})
  else()
    target_link_libraries(adoc_${module} INTERFACE PkgConfig::${module})
  endif()
endforeach()

# All that is shared is bound at the start, and then nobody can change it any more.
add_library(adoc_link_options INTERFACE)
target_link_options(adoc_link_options INTERFACE
  -Wl,--as-needed,-z,relro,-z,now
  $<$<BOOL:${ADOC_FEW_LIBRARIES}>:-static-libgcc;-static-libstdc++>)

# Where each start has other addresses, as everywhere else, if the compiler makes all code for that.
set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie)
check_cxx_source_compiles("
  #ifndef __PIE__
  #error none
  #endif
  int main() { return 0; }" ADOC_CAN_LINK_STATIC_PIE)
set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,--no-warnings)
check_cxx_source_compiles("int main() { return 0; }" ADOC_CAN_LINK_QUIETLY)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(ADOC_STATIC OR ADOC_FEW_LIBRARIES)
  adoc_find_static(ADOC_ARCHIVES openssl libzstd liblz4 zlib re2 libseccomp libxxhash)
endif()
# A static program does without that one where there is no static library of it.
if(ADOC_ARCHIVES AND bzip3_FOUND)
  adoc_find_static(ADOC_BZIP3_ARCHIVE bzip3)
endif()
if(ADOC_STATIC AND NOT ADOC_ARCHIVES)
  message(FATAL_ERROR "ADOC_STATIC: there is no ${ADOC_ARCHIVES_MISSING}")
endif()

# adoc_add_program(NAME MAIN): from main() in MAIN, as ADOC_STATIC says.
function(adoc_add_program name main)
  add_executable(${name} ${main})
  if(ADOC_STATIC)
    adoc_link_statically(${name})
  else()
    target_link_libraries(${name} PRIVATE adoc_cli adoc_compile_options adoc_link_options)
  endif()
endfunction()

function(adoc_link_statically name)
  target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src/io/built_in_only.cpp)
  if(bzip3_FOUND AND NOT ADOC_BZIP3_ARCHIVE)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src/codec/without_bzip3.cpp)
  endif()
  # What is compiled with them is the same, and by what they are linked is not: hence their files.
  foreach(property IN ITEMS INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_FEATURES)
    set_property(TARGET ${name} APPEND PROPERTY ${property}
                 $<TARGET_PROPERTY:adoc_cli,INTERFACE_${property}>)
  endforeach()
  add_dependencies(${name} adoc_cli adoc)
  target_link_libraries(${name} PRIVATE adoc_compile_options
    $<TARGET_FILE:adoc_cli> $<TARGET_FILE:adoc>
    $<$<TARGET_EXISTS:adoc_log_library>:adoc_log_library> ${ADOC_BZIP3_ARCHIVE} ${ADOC_ARCHIVES}
    Threads::Threads)
  if(ADOC_CAN_LINK_STATIC_PIE)
    target_link_options(${name} PRIVATE -static-pie)
  else()
    target_link_options(${name} PRIVATE -static)
  endif()
  # glibc warns of modules that would be loaded: see built_in_only.cpp.
  target_link_options(${name} PRIVATE -Wl,-z,relro,-z,now
    $<$<BOOL:${ADOC_CAN_LINK_QUIETLY}>:-Wl,--no-warnings>)
endfunction()
