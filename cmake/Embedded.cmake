# blockgen_embed(LIST FILE SYMBOL): a text as an array of C that ends with a zero; its source is appended to LIST.
function(blockgen_embed list from symbol)
  set(embedded ${generated}/${symbol}.c)
  add_custom_command(OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -DFROM=${from} -DTO=${embedded} -DNAME=${symbol} -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/Embed.cmake
    DEPENDS ${from} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/Embed.cmake VERBATIM)
  set(${list} ${${list}} ${embedded} PARENT_SCOPE)
endfunction()
