# Run by cpack between installing and packing: what Debian wants of documents, and nothing that
# differs from one build to the next.
set(debian ${CPACK_ADOC_DEBIAN_DIR})
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(now $ENV{SOURCE_DATE_EPOCH})
else()
  # That of the version, as dpkg-buildpackage has it.
  execute_process(COMMAND dpkg-parsechangelog -l ${debian}/changelog -S Timestamp
                  OUTPUT_VARIABLE now OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  # For cpack itself, whose script this is.
  set(ENV{SOURCE_DATE_EPOCH} ${now})
endif()

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(compress)
  run(gzip -9n ${ARGV})
endfunction()

# The package's name beside the group's.
foreach(pair IN ITEMS adoc:adoc dev:libadoc-dev)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 group)
  list(GET pair 1 package)
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${group}/usr)
  set(documents ${usr}/share/doc/${package})
  file(MAKE_DIRECTORY ${documents})
  file(REMOVE ${documents}/LICENSE)
  if(EXISTS ${documents}/CHANGELOG.md)
    file(RENAME ${documents}/CHANGELOG.md ${documents}/changelog)
  else()
    configure_file(${debian}/../CHANGELOG.md ${documents}/changelog COPYONLY)
  endif()
  configure_file(${debian}/copyright ${documents}/copyright COPYONLY)
  configure_file(${debian}/changelog ${documents}/changelog.Debian COPYONLY)
  compress(${documents}/changelog ${documents}/changelog.Debian)
  file(GLOB pages ${usr}/share/man/man*/*)
  if(pages)
    compress(${pages})
  endif()
  # Where Debian's zsh looks.
  if(EXISTS ${usr}/share/zsh/site-functions)
    file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
  endif()
  file(GLOB programs ${usr}/bin/* ${usr}/libexec/adoc/*)
  if(programs)
    run(${CPACK_ADOC_STRIP} --remove-section=.comment --remove-section=.note ${programs})
  endif()
  file(GLOB_RECURSE libraries ${usr}/lib/*.a)
  if(libraries)
    run(${CPACK_ADOC_STRIP} --strip-debug --remove-section=.comment --remove-section=.note
        --enable-deterministic-archives ${libraries})
  endif()
  if(EXISTS ${debian}/${package}.lintian-overrides)
    file(MAKE_DIRECTORY ${usr}/share/lintian/overrides)
    configure_file(${debian}/${package}.lintian-overrides
                   ${usr}/share/lintian/overrides/${package} COPYONLY)
  endif()
  run(chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_DIRECTORY}/${group})
  run(find ${CPACK_TEMPORARY_DIRECTORY}/${group} -exec touch -h -d @${now} {} +)
endforeach()
