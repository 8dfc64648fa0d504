/** A terminal without a window, to see what text does to it, and text that tries to do something. */
import xterm from '@xterm/headless'

/** Shows text on a terminal. */
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
  const events: string[] = []
  terminal.onTitleChange((title) => events.push(`title ${title}`))
  terminal.onData((data) => events.push(`answer ${JSON.stringify(data)}`))
  terminal.onBell(() => events.push('bell'))
  for (let code = 0; code < 2000; code += 1) {
    terminal.parser.registerOscHandler(code, (data) => {
      events.push(`osc ${code} ${data}`)
      return false
    })
  }
  for (const final of 'ABCDEFGHIJKLMPSTXZ`abcdefghlnqrstu') {
    terminal.parser.registerCsiHandler({ final }, () => {
      events.push(`csi ${final}`)
      return false
    })
  }
  await new Promise<void>((resolve) => terminal.write(text, resolve))
  const { active } = terminal.buffer
  const lines: string[] = []
  for (let y = 0; y < active.length; y += 1)
    lines.push(active.getLine(y)?.translateToString(true) ?? '')
  const screen = {
    /** Lines as they are, without the blanks at their ends. */
    lines,
    /** Actions of the terminal beyond showing the text. */
    events,
    cursor: { x: active.cursorX, y: active.baseY + active.cursorY },
  }
  terminal.dispose()
  return screen
}

/** Sequences that command a terminal, controls of one byte, what nobody sees, and what is no character. */
export const attacks: readonly string[] = [
  '\u001b[2J\u001b[H \u001b]0;owned\u0007 \u001b]52;c;cm0gLXJmIC8=\u0007 \u001b[6n \u001b[c \u001b[?1049h',
  '\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\ \u001bP$q"p\u001b\\ \u001b[31m',
  '\u009b2J \u009d0;c1\u00a0title\u009c \u0090q\u009c',
  '\r \n \t \b\b\b\b \u0007 \u000b\u000c \u0000 \u007f \u0085 \u2028\u2029',
  '\u202e \u202d\u202c \u2066\u2067\u2068\u2069 \u061c\u200e\u200f \u200b\u2060\ufeff \u00ad \u180e',
  '\ufff9\ufffa\ufffb \u{e0001}\u{e0041}\u{e007f} \u3164\u115f\uffa0',
  '\ud800 \udc00 \uffff\u{1fffe} \ue000\uf8ff\u{f0000}',
  `a${'\u0301'.repeat(40)} \u0301 \u200d \u200c \ufe0f \u{e0100}`,
].flatMap((line) => line.split(' '))

const ordinary: readonly string[] = [
  ' ',
  ...'Anna Übergröße Łódź é Tiê\u0301ng =1+1 <b> " ;'.split(' '),
  ...'客户名单 ありがとう 고객 قائمة می\u200cخواهم שלום Привет'.split(' '),
  ...'👍 👍🏽 👩‍👩‍👧 ❤️ 🇩🇪 1️⃣ 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'.split(' '),
]

/** A text of attacks, ordinary words and random characters. */
export function hostileText(random: () => number): string {
  const length = Math.floor(random() * 7)
  let text = ''
  for (let index = 0; index < length; index += 1) {
    const choice = random()
    if (choice < 0.4) text += attacks[Math.floor(random() * attacks.length)] ?? ''
    else if (choice < 0.7) text += ordinary[Math.floor(random() * ordinary.length)] ?? ''
    else if (choice < 0.85) text += String.fromCharCode(Math.floor(random() * 0x250))
    else text += String.fromCodePoint(0x20 + Math.floor(random() * 0x2fff))
  }
  return text
}

/** The code points in a text that may command a terminal or hide something; line ends may not. */
export function liveIn(text: string): string[] {
  const live =
    /(?!\n)[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ue000-\uf8ff\ufeff]/gu
  return [...new Set(text.match(live))].map((char) => char.codePointAt(0)?.toString(16) ?? '')
}
