/** What one would type: names, paths, records, addresses, commands, logs. It reads from left to right everywhere. */
export const Machine = ({ text }: { text: string }) => (
  <bdi dir="ltr" class="m">
    {text}
  </bdi>
)
