import type * as declared from '../../contract/nodes.ts'
import { overloaded, Problem } from '../../contract/problem.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { hostOf } from './host.ts'
import { unknownOn } from './unknown.ts'

export const listNodeOrphans: HostHandler<typeof declared.listNodeOrphans> = {
  async act({ runtime, found }, _input, signal) {
    const { name, state } = found.node
    if (state === 'joining') throw new Problem('incomplete', `${name} has not joined yet.`)
    const why = runtime.nodes.why(name)
    if (why !== undefined && runtime.nodes.isAbandoned(name)) throw new Problem('given-up', why)
    const orphans = why === undefined ? await unknownOn(runtime, hostOf(runtime, name), signal) : undefined
    if (!orphans) throw overloaded(why ?? `The host agent of ${name} did not answer in time.`)
    return { items: orphans.map((orphan) => ({ ...orphan })) }
  },
}
