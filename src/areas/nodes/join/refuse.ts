import { isIPv4, isIPv6 } from 'node:net'
import { invalid } from '../../../contract/problem.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Settings } from '../../../runtime/settings/settings.ts'
import { label } from '../../../shared/patterns.ts'
import { ips } from '../../ips/tables.ts'
import { linksOf } from '../link/service.ts'

const form = /^(?:\[(?<v6>[^\]]+)\]|(?<host>[^:]+)):(?<port>[0-9]{1,5})$/
const hostname = new RegExp(`^(?!(?:.*\\.)?\\d+$)${label}(?:\\.${label})*\\.?$`, 'i')

/** Nodes with a wrong address could not find the control plane. */
export function refuseSettings({ control_addresses = [] }: Partial<Settings>, runtime: Runtime): void {
  for (const address of control_addresses) {
    const problem =
      problemOf(address) ??
      (linksOf(runtime).isLocal ? undefined : localProblem(address)) ??
      apiProblem(address, runtime)
    if (problem) throw invalid('control_addresses', `${address} ${problem}`)
  }
}

function problemOf(address: string): string | undefined {
  const { v6 = '', host = '', port } = form.exec(address)?.groups ?? {}
  const isHost = isIPv6(v6) || isIPv4(host) || hostname.test(host)
  return isHost && Number(port) > 0 && Number(port) < 65_536
    ? undefined
    : 'must be host:port, such as panel.example.com:7712'
}

/** Another machine may use any port. */
function apiProblem(address: string, { store, hostname, baseUrl }: Runtime): string | undefined {
  const { v6, host = '', port } = form.exec(address)!.groups!
  const api = new URL(baseUrl)
  const own = [hostname, api.hostname, ...store.db.select({ address: ips.address }).from(ips).all().map(addressIn)]
  const isApi = own.includes(v6 ?? host.toLowerCase().replace(/\.$/, '')) && Number(port) === Number(api.port || 443)
  return isApi ? 'is where the API answers: give the port of `panel serve --node-port`, by default 7712' : undefined
}

const addressIn = ({ address }: { address: string }): string => address

const local = /^(?:localhost\.?|127\.[\d.]+|0\.0\.0\.0|\[::1?\]):/i

const localProblem = (address: string): string | undefined =>
  local.test(address)
    ? 'leads each node to itself: give the address at which nodes reach this server, such as panel.example.com:7712'
    : undefined
