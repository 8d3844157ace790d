"""The models whose operators are recorded in this folder: one training step each.

    bilanx ops record --overwrite -o suites/ops/transformer.txt -- python3 suites/ops/models.py transformer
    bilanx ops record --overwrite -o suites/ops/resnet.txt -- python3 suites/ops/models.py resnet
    bilanx ops record --overwrite -o suites/ops/recommender.txt -- python3 suites/ops/models.py recommender

They are small, so that every backend gets through all of them in a minute or two.
"""
import sys

import torch
from torch import nn
from torch.nn import functional
from torch.utils._mode_utils import no_dispatch


class Block(nn.Module):
    """A transformer block: attention, then two layers with GELU, each added to its input."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.together = nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x):
        batch, length, width = x.shape
        parts = self.queries_keys_values(x).view(batch, length, 3, self.heads, -1)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4).unbind(0)
        scores = queries @ keys.transpose(-2, -1) / (width // self.heads) ** 0.5
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        weights = functional.softmax(scores.masked_fill(future, float('-inf')), dim=-1)
        return self.together((weights @ values).transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attend(self.before(x))
        return x + self.narrow(functional.gelu(self.wide(self.between(x))))


class Transformer(nn.Module):
    """A language model of one block."""

    def __init__(self, words=1000, length=64, width=128):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.block, self.norm = Block(width, heads=4), nn.LayerNorm(width)
        self.scores = nn.Linear(width, words)
        self.text = torch.randint(0, words, (4, length + 1))

    def forward(self):
        places = torch.arange(self.text.shape[1] - 1)
        x = self.words(self.text[:, :-1]) + self.places(places)
        scores = self.scores(self.norm(self.block(x)))
        return functional.cross_entropy(scores.flatten(0, 1), self.text[:, 1:].flatten())


class Residual(nn.Module):
    """Two convolutions whose result is added to their input."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)])
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                          nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = functional.relu(self.norms[0](self.first(x)))
        return functional.relu(self.norms[1](self.second(y)) + self.shortcut(x))


class ResNet(nn.Module):
    """A residual network that classifies images of 64 x 64 pixels."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
            nn.MaxPool2d(3, 2, 1), Residual(16, 16, 1), Residual(16, 32, 2), Residual(32, 64, 2),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 100))
        self.images, self.classes = torch.randn(8, 3, 64, 64), torch.randint(0, 100, (8,))

    def forward(self):
        return functional.cross_entropy(self.layers(self.images), self.classes)


class Recommender(nn.Module):
    """Embeddings of categories, products of all pairs of them, and a few layers: does one click?"""

    def __init__(self, tables=6, rows=2000, width=16, batch=128):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(rows, width) for _ in range(tables)])
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, width), nn.ReLU())
        pairs = tables * (tables + 1) // 2
        self.top = nn.Sequential(nn.Linear(width + pairs, 64), nn.ReLU(), nn.Linear(64, 1))
        self.pairs = torch.tril_indices(tables + 1, tables + 1, -1)
        self.features, self.categories = torch.randn(batch, 13), torch.randint(0, rows, (tables, batch))
        self.clicks = torch.randint(0, 2, (batch, 1)).float()

    def forward(self):
        dense = self.bottom(self.features)
        rows = [table(categories) for table, categories in zip(self.tables, self.categories)]
        vectors = torch.stack([dense] + rows, dim=1)
        products = torch.bmm(vectors, vectors.transpose(1, 2))
        chosen = products[:, self.pairs[0], self.pairs[1]]
        chance = torch.sigmoid(self.top(torch.cat([dense, chosen], dim=1)))
        return functional.binary_cross_entropy(chance, self.clicks)


MODELS = {'transformer': Transformer, 'resnet': ResNet, 'recommender': Recommender}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in MODELS:
        sys.exit('usage: models.py %s' % '|'.join(MODELS))
    torch.manual_seed(0)
    with no_dispatch():  # how a model begins is not part of a step
        model = MODELS[sys.argv[1]]()
    model().backward()


if __name__ == '__main__':
    main()
