# Writes the commit of the sources, its day, and whether what is built differs from it: an installed package has no git
# to ask. A folder inside some other repository says nothing, for that one does not track it.
set(FILE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/cladebench/suite/built-from.json")
file(REMOVE "${FILE}")
if(EXISTS "${SOURCES}/.git")
  set(GIT git --no-optional-locks -C "${SOURCES}")
  set(BUILT src Snakefile environment.yml CITATION.cff config profiles workflow CMakeLists.txt pyproject.toml)
  execute_process(COMMAND ${GIT} show -s "--format=%H %cs" HEAD OUTPUT_VARIABLE COMMIT ERROR_QUIET)
  execute_process(COMMAND ${GIT} status --porcelain -- ${BUILT}
                  OUTPUT_VARIABLE CHANGES RESULT_VARIABLE FAILED ERROR_QUIET)
  set(CHANGED false)
  if(CHANGES)
    set(CHANGED true)
  endif()
  if(FAILED EQUAL 0 AND COMMIT MATCHES "^([0-9a-f]+) ([0-9-]+)\n$")
    file(WRITE "${FILE}"
         "{\"commit\": \"${CMAKE_MATCH_1}\", \"day\": \"${CMAKE_MATCH_2}\", \"changed\": ${CHANGED}}\n")
  endif()
endif()
