import type { AccountCore } from '../contract/account.ts'
import { homeOf, logsOf, userLineOf } from '../homes/home-paths.ts'
import { noState, part } from './part.ts'
import { type DirSpec, type FileSpec, homeDir, systemDir, systemFile } from './spec.ts'

function userLine({ username, uid, suspended, shell }: AccountCore): FileSpec {
  const [lock, login] = suspended ? ['!', '/usr/sbin/nologin'] : ['x', shell]
  return systemFile(userLineOf(username), 0o644, [`${username}:${lock}:${uid}:${uid}::/home/${username}:${login}`])
}

function borders({ username, uid }: AccountCore): DirSpec[] {
  return [
    { path: homeOf(username), mode: 0o710, uid, gid: 'www-data', border: true },
    { path: logsOf(username), mode: 0o750, uid: 'root', gid: uid, border: true },
  ]
}

function inside(core: AccountCore): DirSpec[] {
  const home = homeOf(core.username)
  // The web server reads releases; other accounts cannot get this far.
  return [homeDir(core, `${home}/tmp`, 0o700), homeDir(core, `${home}/apps`, 0o755)]
}

/**
 * The system user and its home. The inside of a suspended home is untouched: its owner's files must not be able to
 * block the suspension.
 */
export const users = part({
  name: 'users',
  dirs: [systemDir('home', 0o711), systemDir('etc/panel/users.d', 0o700), systemDir('var/log/panel', 0o711)],
  check: noState,
  render: (core) => ({
    dirs: core.suspended ? borders(core) : [...borders(core), ...inside(core)],
    files: [userLine(core)],
  }),
})
