import { apachePorts } from '../../parts/apache/units.ts'

/** Those of a usual host of shared sites that need no root; `homes/htaccess/known.ts` has their directives. */
const modules = [
  ...['mpm_event', 'authn_core', 'authn_file', 'authz_core', 'authz_host', 'authz_user', 'authz_groupfile'],
  ...['authz_owner', 'authz_dbm', 'access_compat', 'auth_basic', 'auth_digest', 'alias', 'autoindex', 'deflate', 'dir'],
  ...['env', 'expires', 'filter', 'headers', 'mime', 'negotiation', 'include', 'proxy', 'proxy_fcgi', 'proxy_http'],
  ...['remoteip', 'rewrite', 'setenvif', 'socache_shmcb', 'ssl', 'actions', 'substitute', 'speling', 'unique_id'],
]

const phpVersions = ['', '3', '4', '5', '7', '8']
const twoDigits = [51, 52, 53, 54, 55, 56, 70, 71, 72, 73, 74, 80, 81, 82, 83, 84, 85, 86]

/** Names by which other servers call PHP, and handlers that nothing serves here. */
const unservedHandlers = [
  ...['cgi-script', 'fcgid-script', 'fastcgi-script', 'isapi-handler', 'lsapi-script', 'panel-none'],
  ...['application/x-lsphp', 'application/x-httpd-lsphp', 'lsphp', 'application/x-httpd-php-source', 'php-fastcgi'],
  ...[...phpVersions, ...twoDigits].flatMap((version) => [
    `application/x-httpd-php${version}`,
    `application/x-php${version}`,
    `php${version}-script`,
    `x-httpd-php${version}`,
  ]),
  ...twoDigits.flatMap((version) => [
    `application/x-httpd-ea-php${version}`,
    `application/x-httpd-ea-php${version}___lsphp`,
    `application/x-httpd-alt-php${version}`,
    `application/x-httpd-alt-php${version}___lsphp`,
    `application/x-lsphp${version}`,
  ]),
]

const unserved = '/.panel-unserved'

/** What the Apaches of all accounts share. */
export const apacheConfig = `# Written by \`panel host setup\`.
ServerRoot /usr/lib/apache2
${modules.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`).join('\n')}

StartServers 1
ServerLimit 4
ThreadsPerChild 25
MaxRequestWorkers 100
MinSpareThreads 5
MaxSpareThreads 50
MaxConnectionsPerChild 0
ThreadStackSize 262144

ServerTokens Prod
ServerSignature Off
TraceEnable Off
UseCanonicalName Off
HostnameLookups Off
Timeout 300
KeepAlive On
# More than nginx keeps a connection.
KeepAliveTimeout 20
MaxKeepAliveRequests 1000
# nginx limits bodies.
LimitRequestBody 0
TypesConfig /etc/mime.types
AddDefaultCharset Off
DirectoryIndex index.php index.html index.htm
AccessFileName .htaccess

# A file that only root can open: its descriptor is standard output.
ErrorLog "|/bin/cat"
LogLevel warn ssl:error

# Debian 12's nginx speaks TLS 1.2 to servers behind it.
SSLProtocol -all +TLSv1.2 +TLSv1.3
SSLSessionCache none
SSLRandomSeed startup builtin
SSLOptions +StdEnvVars

RemoteIPHeader X-Real-IP
RemoteIPInternalProxy 127.0.0.1
RequestHeader unset Proxy early
ProxyFCGIBackendType FPM

<Directory />
  AllowOverride None
  Require all denied
  Options None
</Directory>
<FilesMatch "^\\.(ht|user\\.ini)">
  Require all denied
</FilesMatch>

# Files of handlers that nothing serves are not found: their text is never sent. \`.php\` never gets here: the handler of
# the account's own configuration is merged last.
Redirect 404 ${unserved}
${unservedHandlers.map((name) => `Action ${name} ${unserved} virtual`).join('\n')}
`

const port = (at: number): string => `:${at.toString(16).toUpperCase()} 00000000:0000 0A`

/** Ready when it listens, in its own network. */
export const untilItListens = `/bin/sh -c 'i=0; until grep -q "${port(apachePorts.https)}" /proc/net/tcp; do i=$$((i+1)); test $$i -lt 400 || exit 1; sleep 0.025; done'`
