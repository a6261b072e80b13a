import type { AccountCore } from '../../contract/account.ts'
import { homeOf } from '../../homes/home-paths.ts'
import type { DirSpec, FileSpec, Lines } from '../spec.ts'
import { systemFile } from '../spec.ts'
import type { Site } from '../web/state.ts'
import { apachePorts, apacheUnits } from './units.ts'

export const apacheFolder = 'etc/panel/apache'

/** What all accounts' share; `panel host setup` writes it. */
export const commonConfig = `/${apacheFolder}/common.conf`

export const configOf = (username: string): string => `${apacheFolder}/${username}/sites.conf`

/** The sockets of what runs a site's scripts. */
export interface ScriptSockets {
  /** Absent: they do not run. */
  readonly fpm?: string | undefined
  readonly cgi?: string | undefined
}

export interface ApacheSite {
  readonly site: Site
  readonly sockets: ScriptSockets
  readonly timeoutS: number
}

/** A name that nothing resolves: the request goes to the socket. */
const backend = (socket: string, name: string): string => `proxy:unix:${socket}|fcgi://${name}`

/** Handlers that nothing serves are 404: the text of a script is never sent. */
const scripts = ({ fpm }: ScriptSockets): Lines => [
  '    <FilesMatch "\\.php$">',
  '      <If "-f %{REQUEST_FILENAME}">',
  `        SetHandler "${fpm === undefined ? 'panel-none' : backend(fpm, 'php')}"`,
  '      </If>',
  '    </FilesMatch>',
]

const cgiScripts = ({ cgi }: ScriptSockets): Lines => [
  '  <Location "/cgi-bin/">',
  `    SetHandler "${cgi === undefined ? 'panel-none' : backend(cgi, 'cgi')}"`,
  '  </Location>',
]

function virtualHost(core: AccountCore, { site, sockets, timeoutS }: ApacheSite, scheme: 'http' | 'https'): Lines {
  const [name, ...others] = site.names as readonly [string, ...string[]]
  return [
    `<VirtualHost 127.0.0.1:${apachePorts[scheme]}>`,
    // The port of redirects that Apache itself makes is that of the visitor.
    `  ServerName ${scheme}://${name.replace(/^\*\./, '_wildcard.')}:${scheme === 'http' ? 80 : 443}`,
    ...[...(name.startsWith('*.') ? [name] : []), ...others].map((one) => `  ServerAlias ${one}`),
    `  DocumentRoot "/${homeOf(core.username)}/${site.documentRoot}"`,
    `  ProxyTimeout ${timeoutS}`,
    `  <Directory "/${homeOf(core.username)}">`,
    '    AllowOverride All Nonfatal=Unknown',
    '    Options FollowSymLinks',
    '    Require all granted',
    '    CGIPassAuth On',
    ...scripts(sockets),
    '  </Directory>',
    ...cgiScripts(sockets),
    ...(scheme === 'https' ? encryption(core) : []),
    '</VirtualHost>',
  ]
}

const encryption = ({ username }: AccountCore): Lines => [
  '  SSLEngine on',
  `  SSLCertificateFile /run/credentials/panel-apache-${username}.service/tls.crt`,
  `  SSLCertificateKeyFile /run/credentials/panel-apache-${username}.service/tls.key`,
]

/** The account's own Apache, which reads `.htaccess` files; nothing without such a site. */
export function apacheFiles(core: AccountCore, sites: readonly ApacheSite[], idleMinutes: number): FileSpec[] {
  if (sites.length === 0) return []
  const { username } = core
  const lines = [
    `Include ${commonConfig}`,
    `DefaultRuntimeDir /run/panel-apache/${username}`,
    `PidFile /run/panel-apache/${username}/pid`,
    `Listen 127.0.0.1:${apachePorts.http}`,
    `Listen 127.0.0.1:${apachePorts.https} https`,
    'ServerName localhost',
    ...sites.flatMap((one) => [...virtualHost(core, one, 'http'), ...virtualHost(core, one, 'https')]),
  ]
  const config = { ...systemFile(configOf(username), 0o640, lines), gid: core.uid }
  return [config, ...apacheUnits(username, idleMinutes)]
}

/** The account reads its own, which its Apache runs as. */
export const apacheDirs = ({ username, uid }: AccountCore, sites: readonly ApacheSite[]): DirSpec[] =>
  sites.length === 0 ? [] : [{ path: `${apacheFolder}/${username}`, mode: 0o750, uid: 'root', gid: uid, border: true }]
