import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareLoads } from '../compare.ts'
import { load } from '../load/load.ts'
import { record, type World, withBare, withPanel } from '../world.ts'

/** One account over TLS beside Node's own server with the same certificate. */
export const measure = ({ middle }: World) => {
  const path = `/accounts/${middle.account.id}`
  const { directory, token } = middle
  const headers = { Authorization: `Bearer ${token}` }
  return withPanel(middle, async (plain) => {
    const answers = { [`/api/v1${path}`]: await record(plain.url + path, { headers }) }
    await plain.stop()
    return withPanel(
      middle,
      async (panel) => {
        const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(join(directory, 'tls', name), 'utf8'))
        return withBare({ answers, tls: { cert: cert!, key: key! } }, async (bare) => [
          await compareLoads('account by id over TLS', () => load({ url: panel.url + path, token, seconds: 2 }), {
            'node:https, same bytes': () => load({ url: `${bare.url}/api/v1${path}`, token, seconds: 2 }),
          }),
        ])
      },
      { tls: true },
    )
  })
}
