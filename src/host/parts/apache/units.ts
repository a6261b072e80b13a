import { unitFolder } from '../php/units.ts'
import { type FileSpec, type Lines, systemFile } from '../spec.ts'

/** Of the account's own network, which only nginx reaches, by its proxies. */
export const apachePorts = { http: 8080, https: 8443 } as const

const schemes = ['http', 'https'] as const
type Scheme = (typeof schemes)[number]

/** Where nginx reaches the account's Apache; only root and nginx may connect. */
export const apacheSocket = (username: string, scheme: Scheme): string => `/run/panel-apache/${username}.${scheme}.sock`

/** In the account's logs: systemd opens it for Apache, which cannot reopen it. */
export const apacheLog = 'apache.error.log'

export const apacheService = (username: string): string => `panel-apache-${username}.service`
/** All that Apache of an account runs as; usernames have no hyphen. */
export const apacheSocketUnits = (username: string): string[] =>
  schemes.map((scheme) => `panel-site-${scheme}-${username}.socket`)
export const apacheProxyUnits = (username: string): string[] =>
  schemes.map((scheme) => `panel-site-${scheme}-${username}.service`)

/** The account whose Apache a unit belongs to. */
export const accountOfApacheUnit = (unit: string): string | undefined =>
  /^panel-(?:apache|site-https?)-([a-z][a-z0-9]{1,15})\.(?:service|socket)$/.exec(unit)?.[1]

const unitFile = (name: string, lines: Lines): FileSpec => systemFile(`${unitFolder}/${name}`, 0o644, lines)

/**
 * A socket of nginx's for each scheme, whose first request starts a proxy and with it Apache, which cannot take over
 * sockets itself. The proxies end when they are idle, and Apache with the last. What they share is in files that
 * `panel host setup` writes for all units with these names.
 */
export function apacheUnits(username: string, idleMinutes: number): FileSpec[] {
  return [
    unitFile(apacheService(username), apache(username)),
    ...schemes.flatMap((one) => proxy(username, one, idleMinutes)),
  ]
}

const apache = (username: string): Lines => [
  '[Unit]',
  `Description=Apache of ${username}`,
  '',
  '[Service]',
  `ExecStart=/usr/sbin/apache2 -DFOREGROUND -f /etc/panel/apache/${username}/sites.conf`,
  `User=${username}`,
  `Slice=panel-${username}.slice`,
  `RuntimeDirectory=panel-apache/${username}`,
  `StandardOutput=append:/var/log/panel/${username}/${apacheLog}`,
  `BindReadOnlyPaths=/home/${username} /etc/panel/apache/${username}`,
]

function proxy(username: string, scheme: Scheme, idleMinutes: number): FileSpec[] {
  const unit = `panel-site-${scheme}-${username}`
  const needs = `${apacheService(username)} ${unit}.socket`
  const idle = idleMinutes === 0 ? '' : ` --exit-idle-time=${idleMinutes}min`
  const socket = [
    '[Unit]',
    `Description=Sites of ${username} (${scheme})`,
    '',
    '[Socket]',
    `ListenStream=${apacheSocket(username, scheme)}`,
  ]
  const service = [
    '[Unit]',
    `Description=Sites of ${username} (${scheme})`,
    `Requires=${needs}`,
    `After=${needs}`,
    `JoinsNamespaceOf=${apacheService(username)}`,
    '',
    '[Service]',
    `ExecStart=/usr/lib/systemd/systemd-socket-proxyd${idle} --connections-max=512 127.0.0.1:${apachePorts[scheme]}`,
    `User=${username}`,
    `Slice=panel-${username}.slice`,
  ]
  return [unitFile(`${unit}.service`, service), unitFile(`${unit}.socket`, socket)]
}
