/** More words than this before a name are a sentence. */
const MOST_WORDS = 5;

/** Words that stand before a name in a question, and hardly ever in the name. */
const STOP_WORDS = new Set(
  [
    'what whats which where who why how is are was were does do did has have can could would should will',
    'in on of to the this that these those with and or vs versus between about for into than then by if',
    'see read show look view open check describe explain analyse analyze compare summarise summarize translate',
    'me please you tell say says give get find use text words attach attached',
  ]
    .join(' ')
    .split(' '),
);
/** These begin names when a number follows: `Screenshot 2.png`, `10 March at 10.png`. */
const STOP_WORDS_BEFORE_NAMES = new Set('at from file image picture photo pic screenshot'.split(' '));
/** Such a word leads to a number, but begins no name. */
const CONNECTORS = new Set(['at', 'from']);

const REQUEST =
  '请|麻烦|帮我|给我|看一下|看一看|看看|查看|看|读一下|读取|读|打开|分析|识别|描述|比较|对比|解释|翻译|总结|图片|文件|照片|图像|这张|那张|一下';
const CONNECTIVES = '和|与|跟|及|以及|还有|或|或者|里|中|在|的|是|有|然后|再';
const CHINESE_STOP_WORD = new RegExp(`^(?:${REQUEST}|${CONNECTIVES})+$`, 'u');
const CHINESE_REQUEST = new RegExp(`^(?:${REQUEST})+`, 'u');
const CHINESE_ATTRIBUTE = /^\p{Script=Han}*[的里中](?=\p{Script=Han})/u;

/**
 * The beginnings that a name with blanks can have: what of `before` (the words of the same clause,
 * up to the name's last word) may belong to the name `lastWord`, the longest first.
 */
export function findNameBeginnings(before: string, lastWord: string): readonly string[] {
  const beginnings: string[] = [];
  let next = lastWord;
  let taken = '';
  for (const [piece] of [...before.matchAll(/\S+[ \t]+/gu)].reverse()) {
    const word = piece.trim();
    if (beginnings.length >= MOST_WORDS || isStopWord(word, next)) break;
    taken = piece + taken;
    if (!CONNECTORS.has(word.toLowerCase())) beginnings.unshift(...withoutRequest(taken));
    if (isPathStart(word)) break;
    next = word;
  }
  return beginnings;
}

/** Whether a word begins a path, so that nothing before it belongs to the path. */
export function isPathStart(word: string): boolean {
  return /^(?:@|~|\.{0,2}[/\\]|[A-Za-z]:[/\\])/u.test(word);
}

function isStopWord(word: string, next: string): boolean {
  const lower = word.toLowerCase();
  if (STOP_WORDS.has(lower) || CHINESE_STOP_WORD.test(word)) return true;
  if (STOP_WORDS_BEFORE_NAMES.has(lower)) return !/^\p{N}/u.test(next) && !CONNECTORS.has(next.toLowerCase());
  // `don't`, or another file.
  return /['’]|\.[A-Za-z]\w{0,4}$/u.test(word);
}

/** Chinese has no blanks between a request and a name: `看看截图 一.gif`. */
function withoutRequest(beginning: string): readonly string[] {
  const name = beginning.replace(CHINESE_REQUEST, '');
  return [...new Set([name, name.replace(CHINESE_ATTRIBUTE, '')])].filter((one) => one.trim() !== '');
}
