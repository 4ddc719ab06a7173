/** The languages that every text of Fovea exists in. */
export type Locale = 'en' | 'zh-CN';

export const locales: readonly Locale[] = ['en', 'zh-CN'];

/** One text in both languages; arguments are the same for both. */
export type Localized<Text> = Readonly<Record<Locale, Text>>;
