# talus_host_headers(TARGET FOLDER HEADER): makes TARGET, if this is a cross build that did not find it and the host has
# /usr/include/FOLDER/HEADER: a library of headers only, which is the same for all machines. By a link, because
# /usr/include has the host's C library, too.
function(talus_host_headers target folder header)
  if(CMAKE_CROSSCOMPILING AND NOT TARGET ${target} AND EXISTS /usr/include/${folder}/${header})
    set(headers ${PROJECT_BINARY_DIR}/host_headers)
    file(MAKE_DIRECTORY ${headers})
    file(CREATE_LINK /usr/include/${folder} ${headers}/${folder} SYMBOLIC)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${headers})
  endif()
endfunction()
