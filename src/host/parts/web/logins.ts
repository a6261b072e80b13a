import type { Lines } from '../spec.ts'

/**
 * Who guesses passwords of a site's WordPress is slowed down there: an address may send its log-in form 20 times, and then
 * once a minute; programs may ask xmlrpc.php 60 times, and then every two seconds. What a site answers is its account's
 * word, so all requests count, and for that site alone. An address is the one that the site sees: that of the connection,
 * or what a proxy names that the site trusts; of IPv6, the first half. The machine itself is not slowed.
 */
export const loginLimits: Lines = [
  'map $remote_addr $panel_network {',
  '  default $remote_addr;',
  '  "~^(?:127\\.|::1$|unix:)" "";',
  '  "~^(?<panel_half>(?:[0-9a-f]{1,4}:){4})" $panel_half;',
  '  "~^(?<panel_start>[0-9a-f:]*)::" $panel_start::;',
  '}',
  'map "$panel_network $request_method $uri" $panel_login {',
  '  default "";',
  '  "~^[^ ]+ POST /(?:.*/)?wp-login\\.php(?:/|$)" "$server_name $panel_network";',
  '}',
  'map "$panel_network $request_method $uri" $panel_xmlrpc {',
  '  default "";',
  '  "~^[^ ]+ POST /(?:.*/)?xmlrpc\\.php(?:/|$)" "$server_name $panel_network";',
  '}',
  'limit_req_zone $panel_login zone=panel_logins:10m rate=1r/m;',
  'limit_req_zone $panel_xmlrpc zone=panel_xmlrpc:10m rate=30r/m;',
  'limit_req zone=panel_logins burst=19 nodelay;',
  'limit_req zone=panel_xmlrpc burst=59 nodelay;',
  'limit_req_status 429;',
]
