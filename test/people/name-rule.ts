/** When names contradict each other, written a second time: by trying every way to give words to words. */

const titles = 'dr mr mrs ms miss prof herr frau mme mlle sr sra srta sig'.split(' ')

function withoutAccents(text: string): string {
  let kept = ''
  for (const sign of text.normalize('NFD')) {
    const code = sign.codePointAt(0) ?? 0
    const isAccent =
      (code >= 0x300 && code < 0x370) || (code > 0x590 && code < 0x5c8 && code !== 0x5be)
    const isVowelSign = (code >= 0x64b && code <= 0x65f) || code === 0x670
    if (!isAccent && !isVowelSign) kept += sign
  }
  return kept.normalize('NFC')
}

/** Both ways to write a word. */
function formsOf(word: string): string[] {
  const swap = (pairs: string): string =>
    pairs
      .split(' ')
      .reduce(
        (text, pair) => text.split(pair.slice(0, 1)).join(pair.slice(1)),
        word.normalize('NFC'),
      )
  const [plain, transcribed] = [
    'øo æae ßss łl đd ıi ςσ',
    'äae öoe øoe üue åaa ßss æae łl đd ıi ςσ',
  ].map(swap)
  return [plain ?? '', transcribed ?? ''].map(withoutAccents)
}

interface Part {
  readonly forms: readonly string[]
  readonly isInitial: boolean
  readonly closes: boolean
}

function partsOf(name: string): Part[] {
  const signs = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[،、]/g, ',')
    .replace(/[-‐-―.·・。]/g, ' ')
    .split(',')
  return signs.flatMap((section, place) => {
    const words = section
      .split(/\s/)
      .map((word) =>
        Array.from(word)
          .filter((sign) => /[\p{L}\p{M}\p{N}]/u.test(sign))
          .join(''),
      )
      .filter((word) => word !== '' && !titles.includes(formsOf(word)[0] ?? ''))
    return words.map((word, index) => ({
      forms: formsOf(word),
      isInitial: /^\p{L}$/u.test(formsOf(word)[0] ?? '') && !/[぀-ヿ㐀-鿿가-힣]/.test(word),
      closes: place < signs.length - 1 && index === words.length - 1,
    }))
  })
}

function canStand(one: Part, other: Part): boolean {
  return one.forms.some((form) =>
    other.forms.some(
      (each) =>
        form === each ||
        (one.isInitial && each.startsWith(form)) ||
        (other.isInitial && form.startsWith(each)),
    ),
  )
}

function canPlace([first, ...rest]: readonly Part[], others: readonly Part[]): boolean {
  if (first === undefined) return true
  return others.some(
    (other) =>
      canStand(first, other) &&
      canPlace(
        rest,
        others.filter((each) => each !== other),
      ),
  )
}

export function isContradiction(one: string, other: string): boolean {
  const [names, others] = [partsOf(one), partsOf(other)]
  if (names.length === 0 || others.length === 0) return false
  const [few, many] = names.length <= others.length ? [names, others] : [others, names]
  if (few.length > 1) return !canPlace(few, many)
  return !many.some(
    (part) => (part.closes || part === many.at(-1)) && few.every((word) => canStand(word, part)),
  )
}
