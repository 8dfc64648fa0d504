/** Hostile texts for everything that svc prints, and a check that nothing of them can act in an output. */
import type { Dice } from './dice.ts'

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
export function hostileText(dice: Dice): string {
  let text = ''
  for (let left = dice.below(7); left > 0; left -= 1) {
    const choice = dice.random()
    if (choice < 0.4) text += dice.pick(attacks)
    else if (choice < 0.7) text += dice.pick(ordinary)
    else if (choice < 0.85) text += String.fromCharCode(dice.below(0x250))
    else text += String.fromCodePoint(0x20 + dice.below(0x2fff))
  }
  return text
}

/**
 * Returns the code points of a text, as hexadecimal numbers, that may command a terminal or hide something. Passes over line
 * breaks, and over joiners, variation selectors and the letters of flags, which ordinary words need, too.
 */
export function liveIn(text: string): string[] {
  const live =
    /(?![\n\u200c\u200d\p{Variation_Selector}\u{e0020}-\u{e007f}])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
  return [...new Set(text.match(live))].map((char) => char.codePointAt(0)?.toString(16) ?? '')
}
