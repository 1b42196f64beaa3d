# cmake -DFROM=FILE -DTO=FILE.c -DNAME=SYMBOL -P Embed.cmake: a text as an array of C, ended by a zero.
file(READ ${FROM} text HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," text "${text}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" text "${text}")
file(WRITE ${TO} "/* Made from ${FROM} */\nextern const char ${NAME}[];\nconst char ${NAME}[] = {\n${text}0};\n")
