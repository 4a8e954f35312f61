# What is taken from a hostile peer, also from one that is the far side of a copy, or has it do so.
add_executable(hostile_sender
  hostile/hostile_sender.cpp support/made_up_frames.cpp support/scripted_peer.cpp)
add_executable(hostile_far hostile/hostile_far.cpp support/made_up_frames.cpp)
add_executable(channel_door hostile/channel_door.cpp)
foreach(program IN ITEMS hostile_sender hostile_far channel_door)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${program} PRIVATE adoc adoc_compile_options GTest::gtest)
endforeach()
foreach(script IN ITEMS 40-confinement 41-limits 42-hostile-sender)
  add_test(NAME e2e/${script} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/e2e/${script}.sh)
  set_tests_properties(e2e/${script} PROPERTIES
    TIMEOUT 120 ENVIRONMENT "ADOC_BIN_DIR=${PROJECT_BINARY_DIR}")
endforeach()
