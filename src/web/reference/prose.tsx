/** Text with `code` in backticks. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, place) => (place % 2 === 1 ? <code>{part}</code> : part))}</>
)

/** Paragraphs, and lists whose lines begin with a dash. */
export const Paragraphs = ({ text }: { text: string }) => (
  <>
    {text.split('\n\n').map((block) =>
      block.startsWith('- ') ? (
        <ul>
          {block.split('\n').map((line) => (
            <li>
              <Prose text={line.slice(2)} />
            </li>
          ))}
        </ul>
      ) : (
        <p>
          <Prose text={block} />
        </p>
      ),
    )}
  </>
)
