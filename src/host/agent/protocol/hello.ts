import { type Frame, ProtocolError } from './frames.ts'
import type { Hello, Leadership, Versions } from './messages.ts'

/** The protocol versions that this program speaks. */
export const SUPPORTED_VERSIONS: Versions = { min: 1, max: 1 }

const spanned = ({ min, max }: Versions): string => (min === max ? `version ${min}` : `versions ${min} to ${max}`)

/** Reads a hello, ignoring unknown fields. */
export function readHello(frame: Frame): Hello {
  const { type, protocol, build, boot, capabilities, undone, leadership } = frame
  if (type !== 'hello' || !isVersions(protocol)) throw new ProtocolError('The first frame is not a hello.')
  return {
    type,
    protocol,
    build: textOf(build),
    boot: textOf(boot),
    capabilities: textsOf(capabilities),
    undone: textsOf(undone),
    ...(isLeadership(leadership) && { leadership }),
  }
}

/** Why these two are incompatible, in one sentence; undefined if they are not. */
export function tooFarApart(panel: Hello, agent: Hello, who = 'the host agent'): string | undefined {
  if (panel.protocol.min <= agent.protocol.max && agent.protocol.min <= panel.protocol.max) return undefined
  const older = panel.protocol.max < agent.protocol.min ? 'the panel' : who
  return `The panel ${panel.build} speaks ${spanned(panel.protocol)} of the host protocol and ${who} ${agent.build} ${spanned(agent.protocol)}: update ${older}.`
}

function isVersions(value: unknown): value is Versions {
  const { min, max } = (value ?? {}) as Partial<Versions>
  return Number.isSafeInteger(min) && Number.isSafeInteger(max)
}

/** Whether it is a valid claim of leadership. */
export function isLeadership(value: unknown): value is Leadership {
  const { server, epoch, life = '', proof } = (value ?? {}) as Partial<Leadership>
  return [server, life, proof].every((text) => typeof text === 'string') && Number.isSafeInteger(epoch)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
