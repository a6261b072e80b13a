import { type Description, type DocumentOperation, nameIn, type Operation, schemaOf } from './document.ts'
import { Rows, Shape } from './fields.tsx'
import { Paragraphs } from './prose.tsx'

interface Props extends DocumentOperation {
  readonly from: Description
}

/** One operation, closed until opened. The link target is inside, so that browsers open it. */
export const OperationEntry = ({ method, path, operation, from }: Props) => (
  <details>
    <summary>
      <b class="method">{method}</b> <code>{path}</code> <span>{operation.summary}</span>
    </summary>
    <div id={operation.operationId} class="operation">
      {operation.description ? <Paragraphs text={operation.description} /> : null}
      <Facts operation={operation} />
      <Parameters operation={operation} from={from} />
      <Body operation={operation} from={from} />
      <Answer operation={operation} from={from} />
      <Problems codes={operation['x-panel'].problems} from={from} />
    </div>
  </details>
)

const Facts = ({ operation }: { operation: Operation }) => {
  const { feature, job, emits } = operation['x-panel']
  const facts: [string, string | undefined][] = [
    ['Operation id', operation.operationId],
    ['Callers', callers(operation)],
    ['API tokens', tokens(operation)],
    ['Needs the feature', feature],
    ['Job', job],
    ['Events', emits.join(', ') || undefined],
  ]
  return (
    <dl>
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ),
      )}
    </dl>
  )
}

function callers({ 'x-panel': { callers: by } }: Operation): string {
  if (by['anyone']) return 'anyone'
  if (by['token']) return 'any API token'
  const reseller =
    typeof by['reseller'] === 'string' ? `resellers with ${by['reseller']}` : by['reseller'] && 'resellers'
  return ['root', reseller, by['customer'] && 'the customer'].filter(Boolean).join(', ')
}

function tokens({ 'x-panel': { token_areas: areas } }: Operation): string {
  const kinds = (['admin', 'account'] as const).flatMap((kind) =>
    areas[kind] === 'none' ? [] : [`${kind}: ${[areas[kind]].flat().join(' or ')}`],
  )
  return kinds.join('; ') || 'none'
}

const Parameters = ({ operation, from }: { operation: Operation; from: Description }) => {
  const all = (operation.parameters ?? []).map((one) =>
    one.$ref ? from.components.parameters[nameIn(one.$ref)]! : one,
  )
  return all.length === 0 ? null : (
    <>
      <h4>Parameters</h4>
      <Rows rows={all.map((one) => ({ ...one, required: one.required ?? false, where: one.in }))} />
    </>
  )
}

const Body = ({ operation, from }: { operation: Operation; from: Description }) => {
  const schema = schemaOf(operation.requestBody)
  return schema ? (
    <>
      <h4>Body{operation.requestBody?.required ? '' : ', optional'}</h4>
      <Shape schema={schema} inFull from={from} />
    </>
  ) : null
}

const Answer = ({ operation, from }: { operation: Operation; from: Description }) => {
  const [status, answer] = Object.entries(operation.responses).find(([code]) => code < '4')!
  const schema = schemaOf(answer)
  return (
    <>
      <h4>
        Answer {status}: {answer.description}
      </h4>
      {schema ? <Shape schema={schema} inFull={false} from={from} /> : null}
    </>
  )
}

const Problems = ({ codes, from }: { codes: readonly string[]; from: Description }) => (
  <>
    <h4>Problems</h4>
    <p class="problems">
      {codes.map((code) => (
        <a href={`/problems/${code}`}>{`${from.components.examples[code]?.value.status} ${code}`}</a>
      ))}
    </p>
  </>
)
