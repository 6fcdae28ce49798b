import ipaddr from 'ipaddr.js';

/** Not so `100`, `10.1` and `010.0.0.1`, which inet_aton(3) accepts: here they are mistakes. */
export function isFullAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

/** Whether a text is a full address with a prefix length, such as `10.1.0.0/16` (RFC 4632, section 3.1). */
export function isSubnet(text: string): boolean {
  return isFullAddress(text.split('/', 1)[0] ?? '') && ipaddr.isValidCIDR(text);
}
