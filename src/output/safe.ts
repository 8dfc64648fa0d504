/**
 * Text that came from the service or a file never commands the terminal. What is not printable becomes visible; nothing
 * is stripped. JSON writes the same set as `\uXXXX`, which loses nothing and is inert.
 */

/** Made when the first text needs them: compiling Unicode properties costs milliseconds, and most text is plain. */
function makePatterns() {
  return {
    /** Controls, formats, surrogates, private use, separators, whatever is drawn as nothing, and the blank braille cell. */
    unprintable:
      /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u,
    /** Format characters that are drawn: Arabic, Syriac and Kaithi number and verse signs. */
    drawnFormat: /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u,
    mark: /\p{M}/u,
    /** Korean vowels and finals, which sit on the consonant before them as marks do. */
    jamo: /[\u1160-\u11ff\ud7b0-\ud7fb]/,
    hangul: /[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb]/,
    emoji: /\p{Extended_Pictographic}/u,
    emojiOrItsEnd: /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u20e3]/u,
    ideograph: /\p{Ideographic}/u,
    mongolian: /\p{Script_Extensions=Mongolian}/u,
    /** The sign that takes a letter's vowel; a joiner after it shapes even the last letter of a word. */
    virama:
      /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0f84\u1039\u103a\u17d2\u1b44\ua9c0]/u,
  }
}

let madePatterns: ReturnType<typeof makePatterns> | undefined

function patterns(): ReturnType<typeof makePatterns> {
  return (madePatterns ??= makePatterns())
}

const plain = /^[\x20-\x7e]*$/
const plainLines = /^[\x20-\x7e\n\t]*$/
const plainJson = /^[\x20-\x7e\n]*$/
let suspiciousText: RegExp | undefined
let suspiciousJson: RegExp | undefined

/** One test decides whether a text needs more than this test. Marks count when they are many or stand on nothing. */
function isSuspicious(text: string): boolean {
  suspiciousText ??= new RegExp(
    `${patterns().unprintable.source}|\\p{M}{31}|(?:^|\\n)\\p{M}|${patterns().jamo.source}`,
    'u',
  )
  return suspiciousText.test(text)
}

/** In JSON text line ends are structure, C0 is already escaped, and a mark at the start of a string sits on the quote. */
function isSuspiciousJson(text: string): boolean {
  suspiciousJson ??= new RegExp(
    `${patterns().unprintable.source.replace('\\p{Cc}', '\\x7f-\\x9f')}|\\p{M}{31}|"\\p{M}`,
    'u',
  )
  return suspiciousJson.test(text)
}

/** Unicode's stream-safe text format: no writing needs more than 30 marks on one letter. */
const marksAtMost = 30
/** The longest emoji sequences (families, kisses) have three joiners. */
const joinersAtMost = 3

/** Scripts whose letters change shape by joiners. */
const joiningScripts =
  'Arabic Syriac Mandaic Nko Mongolian Phags_Pa Adlam Hanifi_Rohingya Sogdian Devanagari Bengali Gurmukhi Gujarati ' +
  'Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan Javanese Balinese Newa Grantha Tirhuta Chakma Brahmi'
let joiningPattern: RegExp | undefined

/** Built when it is first needed: it costs milliseconds, and most runs never meet a joiner. */
function isJoining(char: string): boolean {
  const scripts = (): string => joiningScripts.replace(/\w+ ?/g, (script) => `\\p{Script_Extensions=${script.trim()}}`)
  joiningPattern ??= new RegExp(`(?=[\\p{L}\\p{M}])[${scripts()}]`, 'u')
  return joiningPattern.test(char) && !patterns().unprintable.test(char)
}

/** England, Scotland, Wales: the only flags that are written with tag characters. */
const tagFlag =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/uy

type Mode = 'visible' | 'keep' | 'json'

/**
 * Makes visible what is not printable: an escape character becomes `\u{1b}`.
 * @param options.newlines `keep` leaves line ends and tabs as they are; by default they become visible too.
 */
export function safe(text: string, options: { newlines?: 'visible' | 'keep' } = {}): string {
  const newlines = options.newlines ?? 'visible'
  if ((newlines === 'keep' ? plainLines : plain).test(text) || !isSuspicious(text)) return text
  return escapeText(text, newlines, (point) => `\\u{${point.toString(16)}}`)
}

/** A value as JSON text that every reader takes, inert on a terminal; the same value but for unpaired surrogates. */
export function jsonText(value: unknown, options: { raw?: boolean } = {}): string {
  const text = stringify(value)
  return inertJson(options.raw === true ? text : replaceUnpaired(text))
}

/** JSON text as the engine writes it: an unpaired surrogate as `\ud83d`. */
export function stringify(value: unknown, indent?: number): string {
  // Undefined has no JSON text, whatever the type says.
  const text = JSON.stringify(value, undefined, indent) as string | undefined
  return text ?? 'null'
}

/** JSON text whose unpaired surrogates, which some readers refuse, are U+FFFD; the very text when it has none. */
export function replaceUnpaired(json: string): string {
  // Pairs are written as they are, so every such escape stands for half of one; or its backslash is itself escaped.
  if (!json.includes('\\ud')) return json
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|[^])/g, (escape) => (escape.length > 2 ? '\ufffd' : escape))
}

/** JSON text in which nothing commands a terminal. */
export function inertJson(text: string): string {
  if (plainJson.test(text) || !isSuspiciousJson(text)) return text
  return escapeText(text, 'json', (point) =>
    String.fromCodePoint(point).replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

function escapeText(text: string, mode: Mode, write: (point: number) => string): string {
  let result = ''
  let previous = ''
  let marks = 0
  let joiners = 0
  for (let index = 0; index < text.length;) {
    const char = String.fromCodePoint(text.codePointAt(index) ?? 0)
    const end = index + char.length
    if (char === '\u{1f3f4}') {
      tagFlag.lastIndex = index
      const flag = tagFlag.exec(text)?.[0]
      if (flag !== undefined) {
        result += flag
        index += flag.length
        previous = char
        marks = 0
        continue
      }
    }
    const isMark = patterns().mark.test(char)
    const keep = patterns().unprintable.test(char)
      ? keepsUnprintable(text, char, previous, end, mode, joiners)
      : patterns().jamo.test(char)
        ? mode === 'json' || patterns().hangul.test(previous)
        : !isMark ||
          (marks < marksAtMost && previous !== '' && previous !== '\n' && !(mode === 'json' && previous === '"'))
    result += keep ? char : write(char.codePointAt(0) ?? 0)
    // What became visible ends in a printable character, so a mark may stand on it.
    marks = keep && isMark ? marks + 1 : 0
    if (char === '\u200d') joiners += 1
    else if (!patterns().emojiOrItsEnd.test(char)) joiners = 0
    else if (previous !== '\u200d' && patterns().emoji.test(char)) joiners = 0
    previous = keep ? char : '}'
    index = end
  }
  return result
}

function keepsUnprintable(
  text: string,
  char: string,
  previous: string,
  end: number,
  mode: Mode,
  joiners: number,
): boolean {
  switch (char) {
    case '\n':
      return mode !== 'visible'
    case '\t':
      return mode === 'keep'
    case '\r':
      return mode === 'keep' && text[end] === '\n'
    case '\u200d':
      if (patterns().emojiOrItsEnd.test(previous) && patterns().emoji.test(charAt(text, end)))
        return joiners < joinersAtMost
      return keepsJoiner(previous, charAt(text, end))
    case '\u200c':
      return keepsJoiner(previous, charAt(text, end))
    case '\ufe0e':
    case '\ufe0f':
      // A digit takes a variation selector only as a keycap.
      return (
        patterns().emoji.test(previous) ||
        (/[0-9#*]/.test(previous) && text[end] === '\u20e3') ||
        patterns().ideograph.test(previous)
      )
    case '\u2800':
      // In braille it is a space; alone it makes a name look empty.
      return /[\u2801-\u28ff]/.test(text)
    default:
      if (/[\ufe00-\ufe0d\u{e0100}-\u{e01ef}]/u.test(char)) return patterns().ideograph.test(previous)
      if (/[\u180b-\u180d\u180f]/.test(char))
        return patterns().mongolian.test(previous) && !patterns().unprintable.test(previous)
      return patterns().drawnFormat.test(char)
  }
}

function keepsJoiner(previous: string, next: string): boolean {
  return isJoining(previous) && (patterns().virama.test(previous) || isJoining(next))
}

function charAt(text: string, index: number): string {
  return index < text.length ? String.fromCodePoint(text.codePointAt(index) ?? 0) : ''
}
