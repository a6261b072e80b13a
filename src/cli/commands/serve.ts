import { dataDirectory } from '../../shared/directory.ts'
import { usage } from '../errors.ts'
import { type Invocation, textOption } from '../invocation.ts'

const defaultHost = '0.0.0.0'
const defaultPort = 7711

/** Runs the server in this process. It handles signals itself. */
export async function run(invocation: Invocation): Promise<void> {
  const options = serveOptions(invocation)
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  const grow = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)
  // The young generation never shrinks again: the 8 MB needed during startup would be held for good.
  grow(1)
  const { serve } = await import('../../server/serve.ts')
  await serve(options)
  grow(2)
}

export function serveOptions(invocation: Invocation) {
  const text = (name: string): string | undefined => textOption(invocation, name)
  const [hostname, tlsCert, tlsKey, logLevel] = ['hostname', 'tls-cert', 'tls-key', 'log-level'].map(text)
  const frontSocket = text('front-socket')
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw usage('--tls-cert and --tls-key must be given together')
  const proxies = invocation.option('trust-proxy') as string[] | undefined
  return {
    dataDir: dataDirectory(invocation.globals.dataDir),
    host: text('host') ?? defaultHost,
    port: portOf('port', text('port')) ?? defaultPort,
    ...nodePortOf(portOf('node-port', text('node-port'))),
    ...whmOf(portOf('whm-port', text('whm-port')), text('whm-wait')),
    ...(hostname && { hostname }),
    ...(frontSocket && { frontSocket }),
    ...(tlsCert && tlsKey && { tlsCert, tlsKey }),
    ...(invocation.option('tls') === false && { noTls: true }),
    ...(proxies && { trustProxy: proxies.flatMap((ranges) => ranges.split(',')) }),
    ...(invocation.option('trust-tenants') === true && { trustTenants: true }),
    ...(logLevel && { logLevel }),
  }
}

function portOf(option: string, provided: string | undefined): number | undefined {
  if (provided === undefined) return undefined
  const port = Number(provided)
  if (!/^\d+$/.test(provided) || port > 65_535)
    throw usage(`--${option} must be a number from 0 to 65535, not ${provided}`)
  return port
}

const nodePortOf = (nodePort: number | undefined) => (nodePort === undefined ? {} : { nodePort })

function whmOf(whmPort: number | undefined, provided: string | undefined) {
  if (provided !== undefined && !(/^\d+$/.test(provided) && Number(provided) <= 300))
    throw usage(`--whm-wait must be a number of seconds from 0 to 300, not ${provided}`)
  return {
    ...(whmPort !== undefined && { whmPort }),
    ...(provided !== undefined && { whmWait: Number(provided) }),
  }
}
