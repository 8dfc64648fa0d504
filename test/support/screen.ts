/** A terminal without a window, to see what text does to it. */
import xterm from '@xterm/headless'

export async function show(
  text: string,
  { columns, rows = 24 }: { columns: number; rows?: number },
) {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 100_000,
    allowProposedApi: true,
    convertEol: true,
  })
  await new Promise<void>((resolve) => terminal.write(text, resolve))
  const { active } = terminal.buffer
  const lines: string[] = []
  for (let y = 0; y < active.length; y += 1)
    lines.push(active.getLine(y)?.translateToString(true) ?? '')
  terminal.dispose()
  return { lines }
}
