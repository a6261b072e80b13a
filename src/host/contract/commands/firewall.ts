import {
  type FirewallService,
  firewallServiceNames,
  MAX_FIREWALL_RULES,
  ruleNetwork,
  TRIAL_MS,
} from '../../../shared/firewall.ts'
import { command } from '../command.ts'
import { complete, listOf, type Output, object, oneOf, optional, patterns, text, that, where } from '../fields.ts'
import * as shape from '../shape.ts'
import { nothing } from './names.ts'

const HIGHEST_PORT = 65_535
const MAX_LISTED = 1000
const MAX_TRIAL_S = TRIAL_MS / 1000

const names = firewallServiceNames as readonly [FirewallService, ...FirewallService[]]

const rule = where(
  object(
    {
      action: oneOf('allow', 'deny'),
      port: optional(complete(1, HIGHEST_PORT)),
      service: optional(oneOf(...names)),
      proto: oneOf('tcp', 'udp'),
      from: optional(that<string>((value) => typeof value === 'string' && ruleNetwork(value) === value)),
    },
    'a rule of the firewall',
  ),
  ({ port, service }) => (port === undefined) !== (service === undefined),
  'rule of the firewall',
)

const change = object(
  {
    /** The change's own id. */
    id: text(patterns.id),
    rules: listOf(rule, MAX_FIREWALL_RULES),
    /** The seconds after which it is undone unless it is confirmed; absent: the rules stay. */
    trialS: optional(complete(1, MAX_TRIAL_S)),
  },
  'changeFirewall',
)
export type FirewallChange = Output<typeof change>

const port = shape.upTo(HIGHEST_PORT)
const proto = shape.oneOf('tcp', 'udp')
const word = shape.plain(200)

const firewall = shape.fields({
  /** Whether setup has written the table. */
  isSetUp: shape.flag,
  /** Ports that services of this machine need. */
  services: shape.list(shape.fields({ service: shape.oneOf(...names), port, last: shape.maybe(port), proto }), 100),
  /** The last change that stays. */
  confirmed: shape.maybe(shape.exactly(patterns.id)),
  /** The change that is undone unless it is confirmed. */
  pending: shape.maybe(shape.exactly(patterns.id)),
  /** What listens for other machines. */
  listening: shape.list(shape.fields({ port, proto, address: word, program: shape.maybe(word) }), MAX_LISTED),
  /** Chains of others that judge incoming packets. */
  foreign: shape.list(shape.fields({ chain: word, policy: word, rules: shape.count }), MAX_LISTED),
})
export type FirewallReport = Output<typeof firewall>

export const firewallCommands = {
  firewall: command({ input: nothing('firewall'), result: firewall }),
  /** Loads rules; on trial, a timer of the machine itself loads the former ones again. */
  changeFirewall: command({ input: change, result: shape.none }),
  /** Keeps a change that waits: false if it was undone. */
  confirmFirewall: command({
    input: object({ id: text(patterns.id) }, 'confirmFirewall'),
    result: shape.fields({ confirmed: shape.flag }),
  }),
}
