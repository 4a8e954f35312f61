# The systems of the papers, built to the letter; part of tests/CMakeLists.txt. What can be tested
# is a library of its own, and each paper has a program that prints its figures.

add_library(papers STATIC
  bench/papers/adaptive/table.cpp
  bench/papers/jeannot/packets.cpp
  bench/papers/pipeline/codecs.cpp
  bench/papers/pipeline/lzop.cpp
  bench/papers/pipeline/model.cpp
  bench/papers/pipeline/run.cpp
  bench/papers/seismic/archive.cpp
  bench/papers/seismic/huffman.cpp
  bench/papers/seismic/lifting.cpp
  bench/papers/seismic/segy.cpp
  bench/papers/seismic/shot.cpp
  bench/papers/selective/fpc.cpp
  bench/papers/selective/lsb_cut.cpp
  bench/papers/selective/messages.cpp
  bench/papers/selective/network.cpp
  bench/papers/selective/topology.cpp
)
# Names in anonymous namespaces are a file's own.
set_target_properties(papers PROPERTIES UNITY_BUILD OFF)
target_include_directories(papers
  PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(papers
  PUBLIC adoc PRIVATE adoc_compile_options PkgConfig::lz4 PkgConfig::zstd ZLIB::ZLIB)
# Two codecs more of the pipeline's and the adaptive paper, where they are installed.
find_package(BZip2 QUIET)
if(BZIP2_FOUND)
  target_compile_definitions(papers PRIVATE ADOC_BENCH_BZIP2)
  target_link_libraries(papers PRIVATE BZip2::BZip2)
endif()
find_path(ADOC_SNAPPY_INCLUDE snappy-c.h)
find_library(ADOC_SNAPPY_LIBRARY snappy)
if(ADOC_SNAPPY_INCLUDE AND ADOC_SNAPPY_LIBRARY)
  target_compile_definitions(papers PRIVATE ADOC_BENCH_SNAPPY)
  target_include_directories(papers PRIVATE ${ADOC_SNAPPY_INCLUDE})
  target_link_libraries(papers PRIVATE ${ADOC_SNAPPY_LIBRARY})
endif()

foreach(paper IN ITEMS adaptive jeannot pipeline seismic selective)
  add_executable(paper_${paper} bench/papers/${paper}/main.cpp)
  target_include_directories(paper_${paper} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(paper_${paper} PRIVATE papers adoc adoc_compile_options)
endforeach()
target_link_libraries(paper_jeannot PRIVATE ZLIB::ZLIB)
add_executable(paper_selective_link bench/papers/selective/over_link.cpp)
target_include_directories(paper_selective_link PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(paper_selective_link PRIVATE papers adoc adoc_compile_options)

if(ADOC_BUILD_FUZZERS)
  target_compile_options(papers PRIVATE -fsanitize=fuzzer-no-link)
  add_executable(papers_fuzzer fuzz/papers_fuzzer.cpp)
  target_link_libraries(papers_fuzzer PRIVATE papers fuzz_support)
  target_link_options(papers_fuzzer PRIVATE -fsanitize=fuzzer)
endif()

adoc_unit_test(papers
  bench/papers/adaptive_test.cpp
  bench/papers/jeannot_test.cpp
  bench/papers/pipeline_test.cpp
  bench/papers/seismic_test.cpp
  bench/papers/selective_test.cpp
)
if(TARGET unit_papers)
  target_link_libraries(unit_papers PRIVATE papers)
endif()
