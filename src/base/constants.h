/* Constants of nature and of geometry. */
#ifndef BG_BASE_CONSTANTS_H
#define BG_BASE_CONSTANTS_H

#define BG_PI 3.14159265358979323846
#define BG_TWO_PI 6.283185307179586476925286766559

#define BG_NC 3 /* colors */

#define BG_GEV2_PB 0.3893793721e9 /* (hbar c)^2: one GeV^-2 in pb (PDG 2018) */

#endif
