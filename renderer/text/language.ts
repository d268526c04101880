import type { Settings } from '@shared/contract/settings';
import { createContext, useContext } from 'react';
import type { Text } from './en';
import { en } from './en';
import { zh } from './zh';

export type Language = 'en' | 'zh';

/** The language to show: the person's choice, else the system's when there is a catalogue for it. */
export function languageFor(choice: Settings['language'], systemLocale: string): Language {
  if (choice !== 'system') return choice;
  return systemLocale.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export function textFor(language: Language): Text {
  return language === 'zh' ? zh : en;
}

export const TextContext = createContext<Text>(en);

/** The catalogue of the language in use. Every word on the screen comes from here. */
export function useText(): Text {
  return useContext(TextContext);
}
