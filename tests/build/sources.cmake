# Each source file and public header is listed in a CMakeLists.txt, and each listed file exists. CMake itself says nothing
# of a file that was forgotten.
#
#   cmake -DSOURCE=. -P sources.cmake

cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND git -C ${SOURCE} ls-files --cached --others --exclude-standard
  RESULT_VARIABLE failed OUTPUT_VARIABLE files ERROR_VARIABLE error)
if(failed)
  message("skipped: this is not a clone that git can list: ${error}")
  return()
endif()
string(REGEX MATCHALL "[^\n]+" files "${files}")

# What the lists name.
set(listed "")
set(missing "")
set(build_files ${files})
list(FILTER build_files INCLUDE REGEX "(^|/)CMakeLists[.]txt$")
foreach(build_file ${build_files})
  file(STRINGS ${SOURCE}/${build_file} lines)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "#.*" "" line "${line}")
    string(REGEX MATCHALL "[A-Za-z0-9_./-]+[.](cpp|html|h|css|js)" names "${line}")
    foreach(name ${names})
      if(name MATCHES "^/")
        continue()  # what follows a variable: a file that is generated
      endif()
      if(name MATCHES "^talus/")  # a public header
        set(path include/${name})
      else()
        cmake_path(GET build_file PARENT_PATH folder)
        cmake_path(APPEND folder ${name} OUTPUT_VARIABLE path)
        cmake_path(NORMAL_PATH path)
      endif()
      list(APPEND listed ${path})
      if(NOT EXISTS ${SOURCE}/${path})
        string(APPEND missing "${build_file} lists ${name}, but there is no file ${path}: correct the name or remove the line\n")
      endif()
    endforeach()
  endforeach()
endforeach()

# What they should name.
set(count 0)
foreach(file ${files})
  if(NOT file MATCHES "[.](cpp|html|css|js)$" AND NOT file MATCHES "^include/.*[.]h$")
    continue()
  endif()
  if(NOT EXISTS ${SOURCE}/${file})
    continue()  # removed, not yet committed
  endif()
  if(file MATCHES "^bindings/js/examples/")
    continue()  # bindings/js/package.sh copies the folder
  endif()
  math(EXPR count "${count} + 1")
  if(file IN_LIST listed)
    continue()
  endif()
  string(REGEX REPLACE "^include/talus/([^/]+)/.*" "\\1/x" place ${file})
  cmake_path(GET place PARENT_PATH folder)
  while(NOT EXISTS ${SOURCE}/${folder}/CMakeLists.txt)
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
  cmake_path(APPEND folder CMakeLists.txt OUTPUT_VARIABLE build_file)
  string(APPEND missing "${file} is in no CMakeLists.txt, so it is not built: add it to a list in ${build_file}, or delete it\n")
endforeach()

message("${count} files")
if(missing)
  message("${missing}")
  message(FATAL_ERROR "The lists of files in the CMakeLists.txt are not right.")
endif()
if(count LESS 300)
  message(FATAL_ERROR "only ${count} files were checked")
endif()
