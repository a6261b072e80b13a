import { forMachines } from './machine.tsx'

interface Props {
  readonly id: string
  readonly label: string
  readonly text: string
  /** To be read, and not sent. */
  readonly readonly?: boolean
}

/** A long text for machines. HTML drops a newline that stands first, so one goes before it. */
export const CodeArea = ({ id, label, text, readonly = false }: Props) => (
  <>
    <label for={id}>{label}</label>
    <textarea
      id={id}
      name={readonly ? undefined : id}
      class="m code"
      rows={24}
      wrap="off"
      readonly={readonly}
      autocomplete="off"
      {...forMachines}
    >
      {`\n${text}`}
    </textarea>
  </>
)

/** What was typed before, with the newlines that files have; browsers send CRLF. */
export const typedText = (typed: URLSearchParams | undefined, name: string): string | undefined =>
  typed?.get(name)?.replace(/\r\n?/g, '\n')
