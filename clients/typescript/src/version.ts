/** That of package.json; a test holds them together. */
export const VERSION = '1.3.0';
