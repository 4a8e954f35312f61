# What is told of a transfer when it is over: --report, --explain.
foreach(script 110-report 111-explain)
  add_test(NAME e2e/${script} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/e2e/${script}.sh)
  set_tests_properties(e2e/${script} PROPERTIES
    TIMEOUT 120 SKIP_RETURN_CODE 77 ENVIRONMENT
    "ADOC_BIN_DIR=${PROJECT_BINARY_DIR}")
endforeach()
