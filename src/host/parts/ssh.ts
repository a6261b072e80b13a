import { fields, listOf, text, yesOrNo } from '../contract/fields.ts'
import { part } from './part.ts'
import { nothing, systemDir, systemFile } from './spec.ts'

export interface SshState {
  readonly enabled: boolean
  /** Each as type and blob. */
  readonly keys: readonly string[]
}

const maxKeys = 50
const key =
  /^(?:ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com) [A-Za-z0-9+/]+={0,2}$/

/** The SSH keys of the account, the only ones that sshd reads: keys in a home have no effect. */
export const ssh = part({
  name: 'ssh',
  dirs: [systemDir('etc/panel/ssh', 0o755), systemDir('etc/panel/ssh/keys', 0o711)],
  check: fields<SshState>({ enabled: yesOrNo, keys: listOf(text(key, 8192), maxKeys) }, 'SSH'),
  render({ username, uid, suspended }, { enabled, keys }) {
    if (suspended || !enabled || keys.length === 0) return nothing
    return { dirs: [], files: [systemFile(`etc/panel/ssh/keys/${username}`, 0o640, keys, uid)] }
  },
})
