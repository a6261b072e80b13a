import { addressOf } from '../http/assets.ts'
import { type Description, entriesOf } from './document.ts'
import { Shape } from './fields.tsx'
import { OperationEntry } from './operation.tsx'
import { Paragraphs, Prose } from './prose.tsx'

interface Props {
  readonly server: string
  readonly from: Description
}

/** The whole API on one page, readable without a script. */
export const Reference = ({ server, from }: Props) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <title>{`API reference · ${server}`}</title>
      <link rel="stylesheet" href={addressOf('panel.css')} />
      <link rel="stylesheet" href={addressOf('reference.css')} />
    </head>
    <body class="reference">
      <header>
        <strong>{server}</strong>
        <a href="/api/v1/openapi.json">OpenAPI document</a>
      </header>
      <nav aria-label="Areas">
        <Contents from={from} />
      </nav>
      <main>
        <h1>API reference</h1>
        <p>
          Version {from.info.version}, base address <code>{from.servers[0]?.url}</code>
        </p>
        <Paragraphs text={from.info.description} />
        <Areas from={from} />
        <Events from={from} />
        <Schemas from={from} />
      </main>
    </body>
  </html>
)

const Contents = ({ from }: { from: Description }) => (
  <ul>
    {from.tags.map(({ name }) => (
      <li>
        <a href={`#area-${name}`}>{name}</a>
      </li>
    ))}
    <li>
      <a href="#events-list">Event types</a>
    </li>
    <li>
      <a href="#schemas">Schemas</a>
    </li>
  </ul>
)

const Areas = ({ from }: { from: Description }) => {
  const entries = entriesOf(from)
  return (
    <>
      {from.tags.map(({ name, description }) => (
        <section id={`area-${name}`}>
          <h2>{name}</h2>
          <p>
            <Prose text={description} />
          </p>
          {entries
            .filter(({ operation }) => operation.tags[0] === name)
            .map((entry) => (
              <OperationEntry {...entry} from={from} />
            ))}
        </section>
      ))}
    </>
  )
}

const Events = ({ from }: { from: Description }) => (
  <section id="events-list">
    <h2>Event types</h2>
    <p>What webhooks receive and the feed holds.</p>
    <table>
      <tbody>
        {Object.entries(from.webhooks).map(([type, { post }]) => (
          <tr>
            <th scope="row">
              <code>{type}</code>
            </th>
            <td>{post.summary}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const Schemas = ({ from }: { from: Description }) => (
  <section id="schemas">
    <h2>Schemas</h2>
    {Object.entries(from.components.schemas).map(([name, schema]) => (
      <details>
        <summary>
          <code>{name}</code>
        </summary>
        <div id={name} class="operation">
          {schema.description ? <Paragraphs text={schema.description} /> : null}
          <Shape schema={schema} inFull from={from} />
        </div>
      </details>
    ))}
  </section>
)
