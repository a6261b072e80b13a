import { type AccountState, type HostArea, hostAreas, type ServerConfig } from '../driver.ts'
import { dnsDirs, renderDns } from './dns.ts'
import { ftpDirs, renderFtp } from './ftp.ts'
import { homeDirs, renderUser } from './home.ts'
import { limitsDirs, renderLimits } from './limits.ts'
import { mailDirs, renderMail } from './mail.ts'
import { phpDirs, renderPhp } from './php.ts'
import { type Rendered, type RenderedAreas, type Renderer, systemDir } from './spec.ts'
import { renderWeb, webDirs, webFiles } from './web.ts'

/** The areas that are files. The others are commands, which a driver that changes no daemon has none of. */
const renderers: Partial<Record<HostArea, Renderer>> = {
  users: renderUser,
  limits: renderLimits,
  php: renderPhp,
  web: renderWeb,
  dns: renderDns,
  mail: renderMail,
  ftp: renderFtp,
}

/** An account's files by area, in the order in which areas are applied. */
export function renderAccount(
  account: AccountState,
  server: ServerConfig,
  areas: readonly HostArea[] = hostAreas,
): RenderedAreas {
  const wanted = hostAreas.filter((area) => areas.includes(area) && renderers[area])
  return new Map(wanted.map((area) => [area, renderers[area]!(account, server)]))
}

const above = ['etc', 'etc/panel', 'etc/bind', 'var', 'var/lib', 'var/lib/panel', 'var/log']

/** What belongs to no account: the directories that fragments go into, and what all sites share. */
export function renderServer(): Rendered {
  return {
    dirs: [
      ...above.map((path) => ({ ...systemDir(path, 0o755), border: false })),
      ...homeDirs,
      ...limitsDirs,
      ...phpDirs,
      ...webDirs,
      ...dnsDirs,
      ...mailDirs,
      ...ftpDirs,
      systemDir('var/lib/panel/manifest', 0o700),
      systemDir('trash', 0o700),
    ],
    files: webFiles,
  }
}
