/** A terminal without a window, to see what text does to it, and text that tries to do something. */
import xterm from '@xterm/headless'

type Xterm = InstanceType<typeof xterm.Terminal>

/** Shows text on a terminal that joins graphemes, as most do now, or on one of Unicode 6, as xterm's own tables are. */
export async function show(
  text: string,
  options: { columns: number; rows?: number; unicode6?: boolean },
) {
  const { columns, rows = 24 } = options
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 100_000,
    allowProposedApi: true,
    convertEol: true,
  })
  if (options.unicode6 !== true) joinGraphemes(terminal)
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
    /** The look of a line from a column on. */
    from: (line: number, column: number) =>
      active.getLine(line)?.translateToString(true, column) ?? '',
    /** Actions of the terminal beyond showing the text. */
    events,
    cursor: { x: active.cursorX, y: active.baseY + active.cursorY },
  }
  terminal.dispose()
  return screen
}

/** Written after Unicode's grapheme rules and what terminals document, not after our own tables. */
function joinGraphemes(terminal: Xterm): void {
  const picture = 1
  const joined = 2
  const halfFlag = 4
  const value = (state: number, width: number, join: boolean): number =>
    (state << 3) | (width << 1) | (join ? 1 : 0)
  terminal.unicode.register({
    version: 'graphemes',
    wcwidth: (point: number) => widthOf(point),
    charProperties(point: number, preceding: number): number {
      const state = preceding >> 3
      const before = (preceding >> 1) & 3
      const char = String.fromCodePoint(point)
      if (preceding !== 0) {
        if (char === '\u200d') return value(state & picture ? joined : 0, before, true)
        if (char === '\ufe0f' || char === '\u20e3')
          return value(state, state & picture ? 2 : before, true)
        if (/\p{Emoji_Modifier}/u.test(char) && state & picture) return value(state, 2, true)
        if (/[\u{e0020}-\u{e007f}]/u.test(char)) return value(state, before, true)
        if (state & joined && /\p{Extended_Pictographic}/u.test(char))
          return value(picture, 2, true)
        if (state & halfFlag && /\p{Regional_Indicator}/u.test(char)) return value(0, 2, true)
        if (widthOf(point) === 0) return value(state, before, true)
      }
      const next = /\p{Regional_Indicator}/u.test(char)
        ? halfFlag
        : /\p{Extended_Pictographic}|[0-9#*]/u.test(char)
          ? picture
          : 0
      return value(next, widthOf(point), false)
    },
  })
  terminal.unicode.activeVersion = 'graphemes'
}

function widthOf(point: number): 0 | 1 | 2 {
  const char = String.fromCodePoint(point)
  if (/[\p{Mn}\p{Me}\u200b-\u200f\u1160-\u11ff\u{e0000}-\u{e0fff}]/u.test(char)) return 0
  if (/\p{Regional_Indicator}/u.test(char)) return 1
  const wide =
    /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3105-\u312f\u31a0-\u31bf\p{Script=Yi}\p{Script=Tangut}\p{Emoji_Presentation}]/u
  const half = /[\uff61-\uffdc]/
  if (wide.test(char) && !half.test(char)) return 2
  return /[\u2e80-\u303e\u30fb\u30fc\uff01-\uff60\uffe0-\uffe6]/.test(char) ? 2 : 1
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

export const ordinary: readonly string[] = [
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
