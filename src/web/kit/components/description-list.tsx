import type { Child } from 'hono/jsx'

export type Fact = readonly [name: Child, value: Child]

/** Names and values; absent values are left out. */
export const FactList = ({ of }: { of: readonly (Fact | false | undefined)[] }) => (
  <dl class="facts">
    {of.map((fact) =>
      fact ? (
        <>
          <dt>{fact[0]}</dt>
          <dd>{fact[1]}</dd>
        </>
      ) : null,
    )}
  </dl>
)
