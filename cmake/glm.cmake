# glm: the one library that Talus needs. TALUS_INSTALL says whether Talus can be installed: that takes an installed glm.

if(NOT TARGET glm::glm)
  find_package(glm QUIET GLOBAL)
endif()
talus_host_headers(glm::glm glm glm.hpp)
if(NOT TARGET glm::glm AND NOT TALUS_FETCH_GLM)
  message(FATAL_ERROR "Talus needs glm, which is not installed here. Install it (Debian and Ubuntu: libglm-dev, "
    "Fedora: glm-devel, Homebrew: glm) and say where by -DCMAKE_PREFIX_PATH if it is not in a standard folder; define the "
    "target glm::glm before Talus is added; or let Talus download it by -DTALUS_FETCH_GLM=ON.")
endif()
if(NOT TARGET glm::glm)
  message(STATUS "Talus: downloading glm 0.9.9.8; there are no install rules")
  include(FetchContent)
  # 0.9.9.8, by its hash: a tag can be moved. (With SYSTEM at the end CMake 3.25 clones nothing.)
  set(system "")
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.25)
    set(system SYSTEM)
  endif()
  FetchContent_Declare(glm ${system} GIT_REPOSITORY https://github.com/g-truc/glm.git
    GIT_TAG bf71a834948186f4097caa076cd2663c69a10e1e)
  set(CMAKE_POLICY_VERSION_MINIMUM 3.5)  # CMake 4 refuses glm's own minimum, 3.2
  FetchContent_MakeAvailable(glm)
  unset(CMAKE_POLICY_VERSION_MINIMUM)
endif()
get_target_property(TALUS_INSTALL glm::glm IMPORTED)
