import { codeInputProps } from './code.tsx'

interface Props {
  readonly id: string
  readonly label: string
  readonly text: string
  /** Shown only, and not sent. */
  readonly readonly?: boolean
}

/** A long text for machines. A script numbers the lines where it is edited. HTML drops a leading newline, so one is prepended. */
export const CodeArea = ({ id, label, text, readonly = false }: Props) => (
  <>
    <label for={id}>{label}</label>
    <div class="lined" dir="ltr">
      <pre class="m code" aria-hidden="true" />
      <textarea
        id={id}
        name={readonly ? undefined : id}
        class="m code"
        rows={24}
        wrap="off"
        readonly={readonly}
        autocomplete="off"
        {...codeInputProps}
      >
        {`\n${text}`}
      </textarea>
    </div>
  </>
)

/** The text typed before, with LF line endings; browsers send CRLF. */
export const typedText = (typed: URLSearchParams | undefined, name: string): string | undefined =>
  typed?.get(name)?.replace(/\r\n?/g, '\n')
