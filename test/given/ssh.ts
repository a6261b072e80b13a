import { type Given, made } from './index.ts'

const public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM3Dm3QGyBMpT0Xr4xXyWw5Tcm2b0hXq9Xo3mB0o9nJd'

export const given: Given = {
  host: { ssh: { enabled: false, keys: [] } },
  async ofAccount(panel, account) {
    const { key } = await made(panel, `/accounts/${account}/ssh/keys`, { name: 'laptop', public_key })
    return { '/accounts/{id}/ssh/keys/{kid}': key.id }
  },
}
