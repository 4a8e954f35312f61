# Run while installing, see install_configured() in CMakeLists.txt. A directory that is given as an
# absolute one (as Nix does) stays as it is.
foreach(directory IN ITEMS bindir libdir includedir destination)
  get_filename_component(${directory} "${${directory}}" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
endforeach()
string(MD5 place "${CMAKE_INSTALL_PREFIX}")
get_filename_component(name "${input}" NAME)
string(REGEX REPLACE "\\.in$" "" name "${name}")
configure_file("${input}" "${scratch}/${place}/${name}" @ONLY)
file(INSTALL "${scratch}/${place}/${name}" DESTINATION "${destination}")
