/** That of package.json; a test holds them together. */
export const VERSION = '2.1.0';
