# The fault plans and what they rest on; part of tests/CMakeLists.txt.

# A file layer that fails, for LD_PRELOAD into programs; never instrumented itself, because a
# sanitizer's own calls pass through it.
add_library(fault_files MODULE support/fault_files.cpp support/fault_files_plan.cpp)
target_include_directories(fault_files PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(fault_files PRIVATE adoc_compile_options ${CMAKE_DL_LIBS})
target_compile_options(fault_files PRIVATE -fno-sanitize=all)
target_link_options(fault_files PRIVATE -fno-sanitize=all)
set_target_properties(fault_files PROPERTIES PREFIX "")

# Another layer, that folds capital letters.
add_library(fold_case MODULE support/fold_case.cpp)
target_link_libraries(fold_case PRIVATE adoc_compile_options ${CMAKE_DL_LIBS})
target_compile_options(fold_case PRIVATE -fno-sanitize=all)
target_link_options(fold_case PRIVATE -fno-sanitize=all)
set_target_properties(fold_case PROPERTIES PREFIX "")

# Transfers in which things go wrong, by the thousand. What looks on from outside is not
# instrumented either, since that would be most of the time that a plan takes: so it is made of the
# few sources of the product that it needs, not of the library.
set(product ${PROJECT_SOURCE_DIR}/src)
add_executable(fault
  fault/child.cpp
  fault/judge.cpp
  fault/main.cpp
  fault/plan.cpp
  fault/tree.cpp
  fault/trial.cpp
  support/fault_link.cpp
  ${product}/io/key.cpp
  ${product}/util/checksum.cpp
  ${product}/util/errno_error.cpp
  ${product}/util/error.cpp
  ${product}/util/own_name.cpp
  ${product}/util/safe_name.cpp
  ${product}/util/wakeup.cpp
)
target_include_directories(fault PRIVATE
  ${PROJECT_SOURCE_DIR}/include ${product} ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(fault PRIVATE
  adoc_compile_options Threads::Threads OpenSSL::Crypto PkgConfig::xxhash)
target_compile_options(fault PRIVATE -fno-sanitize=all)
target_link_options(fault PRIVATE -fno-sanitize=all)
target_compile_definitions(fault PRIVATE ADOC_FAULT_FILES_LIBRARY="$<TARGET_FILE:fault_files>")
add_dependencies(fault fault_files adoc-send adoc-recv)

foreach(seed RANGE 1 4)
  add_test(NAME fault/${seed}
           COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/fault/suite.sh $<TARGET_FILE:fault> ${seed})
  set_tests_properties(fault/${seed} PROPERTIES
    TIMEOUT 300 COST 100 ENVIRONMENT "ADOC_BIN_DIR=${PROJECT_BINARY_DIR}")
endforeach()

add_test(NAME e2e/45-fault-tools COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/e2e/45-fault-tools.sh)
set_tests_properties(e2e/45-fault-tools PROPERTIES
  TIMEOUT 120)
set_property(TEST e2e/45-fault-tools PROPERTY ENVIRONMENT "ADOC_BIN_DIR=${PROJECT_BINARY_DIR}"
  "ADOC_FAULT=$<TARGET_FILE:fault>" "ADOC_FAULT_FILES_LIBRARY=$<TARGET_FILE:fault_files>")

# The file layer on both sides of copies through ssh's channel.
add_test(NAME e2e/96-cp-faults COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/e2e/96-cp-faults.sh)
set_tests_properties(e2e/96-cp-faults PROPERTIES TIMEOUT 180 ENVIRONMENT
  "ADOC_BIN_DIR=${PROJECT_BINARY_DIR};ADOC_FAULT_FILES_LIBRARY=$<TARGET_FILE:fault_files>")

adoc_unit_test(support
  support/fault_link.cpp
  support/path_model.cpp
  support/scripted_peer.cpp
  unit/support/fault_link_test.cpp
  unit/support/path_model_test.cpp
)

# A long path between two namespaces; not instrumented, since it has each packet's time to keep.
add_executable(wan_link support/wan_link.cpp support/path_model.cpp)
target_include_directories(wan_link PRIVATE ${product} ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(wan_link PRIVATE adoc_compile_options)
target_compile_options(wan_link PRIVATE -fno-sanitize=all)
target_link_options(wan_link PRIVATE -fno-sanitize=all)

# The programs over such paths.
foreach(script 97-streams-wan 98-streams-buffers)
  add_test(NAME e2e/${script} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/e2e/${script}.sh)
  set_tests_properties(e2e/${script} PROPERTIES TIMEOUT 180 SKIP_RETURN_CODE 77 ENVIRONMENT
    "ADOC_BIN_DIR=${PROJECT_BINARY_DIR};ADOC_WAN_LINK=$<TARGET_FILE:wan_link>")
endforeach()
# Of the system's TCP, which no sanitizer sees.
if(NOT is_sanitized)
  adoc_preloaded(no_bbr)
  add_test(NAME e2e/125-policed COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/e2e/125-policed.sh)
  set_tests_properties(e2e/125-policed PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77)
  set_property(TEST e2e/125-policed PROPERTY ENVIRONMENT
    "ADOC_BIN_DIR=${PROJECT_BINARY_DIR}" "ADOC_WAN_LINK=$<TARGET_FILE:wan_link>"
    "ADOC_NO_BBR=$<TARGET_FILE:no_bbr>")
endif()
