# Numbers, and what is done to them before a codec sees them.
foreach(script IN ITEMS 112-filters 116-dtype 119-lossy)
  add_test(NAME e2e/${script} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/e2e/${script}.sh)
  set_tests_properties(e2e/${script} PROPERTIES
    TIMEOUT 300 ENVIRONMENT "ADOC_BIN_DIR=${PROJECT_BINARY_DIR}")
endforeach()
