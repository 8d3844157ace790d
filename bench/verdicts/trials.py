"""Shared by bench/verdict and bench/real: options that are lists, and trials as lines of JSON."""
import argparse
import json


def words(known):
    """Returns the type of an option that is a list of known words."""
    def parse(text):
        chosen = [word.strip() for word in text.split(',')]
        unknown = [word for word in chosen if word not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"'{unknown[0]}' is none of {', '.join(known)}")
        return chosen
    return parse


def numbers(text):
    return [float(word) for word in text.split(',')]


class Collected(list):
    """A list of trials. Each is appended to a file as soon as it is done."""

    def __init__(self, path):
        super().__init__()
        self.file = open(path, 'a', encoding='utf-8')

    def add(self, trial):
        self.append(trial)
        self.file.write(json.dumps(trial) + '\n')
        self.file.flush()

    def close(self):
        self.file.close()


def read(paths):
    return [json.loads(line) for path in paths for line in open(path, encoding='utf-8')]
